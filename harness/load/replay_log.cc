// Reading a log line by line into its table; see replay_log.h.
#include "harness/load/replay_log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>

namespace hotlap::load {
namespace {

constexpr std::uint32_t kFree = UINT32_MAX;

// A log has the reply of a request whose conditions and ranges it does not tell: without them the
// whole is the answer. 499, and what is no status, were never sent.
int expected_status(int logged) {
  if (logged == 304 || logged == 206) return 200;
  return logged == 499 ? 0 : logged;
}

}  // namespace

class ReplayReader {
 public:
  ReplayReader(const ReplayRules& rules, ReplayLog& log) : rules_(rules), log_(log) {}

  // False once the log is too large; `error` says so.
  bool add(std::string_view line, std::int64_t number, std::string& error);
  void add_bad(std::string_view why, std::int64_t number);
  void finish();

 private:
  bool add_request(std::string& error);
  std::uint32_t find_or_add(std::uint16_t expectation, bool takes_body);
  std::uint16_t expectation_of(const ReplayLog::Expectation& wanted);
  std::size_t slot_of(std::string_view start, std::uint16_t expectation) const;
  void grow();
  void sort_by_time();
  void make_timeline();

  const ReplayRules& rules_;
  ReplayLog& log_;
  LoggedRequest request_;
  std::string start_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(1024, kFree);
  std::vector<std::int64_t> times_s_;  // by request, in the log's order
  std::int64_t latest_s_ = INT64_MIN;
};

void ReplayReader::add_bad(std::string_view why, std::int64_t number) {
  ReplayTally& tally = log_.tally_;
  ++tally.lines;
  if (tally.bad++ > 0) return;
  tally.first_bad_line = number;
  tally.first_bad = why;
}

bool ReplayReader::add(std::string_view line, std::int64_t number, std::string& error) {
  std::string_view fault;
  const LineKind kind = parse_log_line(line, request_, fault);
  if (kind == LineKind::kBad) {
    add_bad(fault, number);
    return true;
  }
  ReplayTally& tally = log_.tally_;
  ++tally.lines;
  if (kind == LineKind::kNoRequest) {
    ++tally.no_request;
    return true;
  }
  const int status = request_.status;
  if (request_.method == "CONNECT" || (status >= 100 && status < 200)) {
    ++tally.no_replay;
    return true;
  }
  return add_request(error);
}

bool ReplayReader::add_request(std::string& error) {
  const std::string& method = request_.method;
  const bool takes_body = method == "POST" || method == "PUT" || method == "PATCH";
  if (takes_body && !rules_.empty_bodies) {
    ++log_.tally_.without_body;
    return true;
  }
  start_ = method;
  start_ += ' ';
  start_ += request_.target;
  const std::uint16_t expectation =
      expectation_of({method == "HEAD", rules_.any_status ? 0 : expected_status(request_.status)});
  log_.sequence_.push_back(find_or_add(expectation, takes_body));
  times_s_.push_back(request_.unix_s);
  if (request_.unix_s < latest_s_) ++log_.tally_.out_of_order;
  latest_s_ = std::max(latest_s_, request_.unix_s);
  if (log_.sequence_.size() > kMostReplayed) {
    error = "it holds more than " + std::to_string(kMostReplayed) +
            " requests: replay a part of it (head -n " + std::to_string(kMostReplayed) + ")";
    return false;
  }
  if (log_.text_.size() > kMostReplayedBytes) {
    error = "its distinct requests take more than " + std::to_string(kMostReplayedBytes >> 20) +
            " MiB (by line " + std::to_string(log_.tally_.lines) +
            "): replay a part of it (head -n " + std::to_string(log_.tally_.lines / 2) + ")";
    return false;
  }
  return true;
}

// A few hundred at the very most: each status of each kind of method.
std::uint16_t ReplayReader::expectation_of(const ReplayLog::Expectation& wanted) {
  auto& all = log_.expectations_;
  const auto found = std::find(all.begin(), all.end(), wanted);
  const auto index = static_cast<std::uint16_t>(found - all.begin());
  if (found == all.end()) all.push_back(wanted);
  return index;
}

// Where the request is in the table, or would be.
std::size_t ReplayReader::slot_of(std::string_view start, std::uint16_t expectation) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = (std::hash<std::string_view>()(start) + expectation) & mask;
  for (; slots_[slot] != kFree; slot = (slot + 1) & mask) {
    const std::uint32_t kind = slots_[slot];
    if (log_.kinds_[kind].expectation == expectation && log_.start_line(kind) == start) break;
  }
  return slot;
}

void ReplayReader::grow() {
  slots_.assign(slots_.size() * 2, kFree);
  for (std::uint32_t kind = 0; kind < log_.kinds_.size(); ++kind) {
    slots_[slot_of(log_.start_line(kind), log_.kinds_[kind].expectation)] = kind;
  }
}

std::uint32_t ReplayReader::find_or_add(std::uint16_t expectation, bool takes_body) {
  const std::size_t slot = slot_of(start_, expectation);
  if (slots_[slot] != kFree) return slots_[slot];
  const auto kind = static_cast<std::uint32_t>(log_.kinds_.size());
  log_.kinds_.push_back({static_cast<std::uint32_t>(log_.text_.size()),
                         static_cast<std::uint32_t>(start_.size()), expectation, takes_body});
  log_.text_ += start_;
  log_.longest_ = std::max(log_.longest_, start_.size());
  slots_[slot] = kind;
  if (log_.kinds_.size() * 2 > slots_.size()) grow();
  return kind;
}

// Servers log a request when it has ended, and stamp it when it began or ended: what stands behind
// a later one goes before it.
void ReplayReader::sort_by_time() {
  std::vector<std::uint32_t> order(times_s_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [this](std::uint32_t a, std::uint32_t b) { return times_s_[a] < times_s_[b]; });
  std::vector<std::uint32_t> sequence;
  sequence.reserve(order.size());
  for (const std::uint32_t place : order) sequence.push_back(log_.sequence_[place]);
  log_.sequence_ = std::move(sequence);
  std::sort(times_s_.begin(), times_s_.end());
}

void ReplayReader::make_timeline() {
  auto timeline = std::make_shared<Timeline>();
  timeline->starts = static_cast<std::int64_t>(times_s_.size());
  for (std::size_t i = 0; i < times_s_.size(); ++i) {
    if (i > 0 && times_s_[i] == times_s_[i - 1]) continue;
    timeline->seconds.push_back({times_s_[i] - times_s_[0], static_cast<std::int64_t>(i)});
  }
  log_.timeline_ = std::move(timeline);
}

void ReplayReader::finish() {
  if (log_.tally_.out_of_order > 0) sort_by_time();
  make_timeline();
  log_.tally_.requests = static_cast<std::int64_t>(log_.sequence_.size());
  log_.tally_.distinct = static_cast<std::int64_t>(log_.kinds_.size());
  log_.sequence_.shrink_to_fit();
  log_.text_.shrink_to_fit();
}

namespace {

// One line, without its end. Of an overlong one only the begin is kept; false at the text's end.
bool next_line(std::istream& text, std::string& line, bool& overlong) {
  line.clear();
  overlong = false;
  std::streambuf& buffer = *text.rdbuf();
  constexpr int kEnd = std::char_traits<char>::eof();
  int c = buffer.sbumpc();
  if (c == kEnd) return false;
  for (; c != kEnd && c != '\n'; c = buffer.sbumpc()) {
    if (line.size() < kMostLineBytes) {
      line += static_cast<char>(c);
    } else {
      overlong = true;
    }
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return true;
}

std::string nothing_to_replay(const ReplayTally& tally) {
  return "none of its " + std::to_string(tally.lines) +
         " lines can be replayed: " + std::to_string(tally.bad) +
         " are no lines of an access log, " + std::to_string(tally.no_request) +
         " hold no HTTP request, " + std::to_string(tally.without_body) + " need a body, " +
         std::to_string(tally.no_replay) + " open a tunnel or another protocol";
}

// Empty where enough of the lines were sound.
std::string fault_of(const ReplayTally& tally, const ReplayRules& rules) {
  if (tally.lines == 0) return "it is empty";
  const double share = static_cast<double>(tally.bad) / static_cast<double>(tally.lines);
  if (tally.bad > 0 && share > rules.allowed_bad_share) {
    return std::to_string(tally.bad) + " of its " + std::to_string(tally.lines) +
           " lines cannot be read, the first is line " + std::to_string(tally.first_bad_line) +
           ": " + tally.first_bad + "; is it a log in the common or combined format?";
  }
  return tally.requests == 0 ? nothing_to_replay(tally) : "";
}

}  // namespace

std::shared_ptr<const ReplayLog> ReplayLog::read(std::istream& text, const ReplayRules& rules,
                                                 std::string& error) {
  auto log = std::make_shared<ReplayLog>();
  ReplayReader reader(rules, *log);
  std::string line;
  bool overlong = false;
  error.clear();
  for (std::int64_t number = 1; next_line(text, line, overlong); ++number) {
    if (number == 1 && line.starts_with("\x1f\x8b")) {
      error = "it is compressed: unpack it first (gunzip -k)";
      return nullptr;
    }
    if (line.empty()) continue;
    if (overlong) {
      reader.add_bad("longer than 64 KiB", number);
    } else if (!reader.add(line, number, error)) {
      return nullptr;
    }
  }
  reader.finish();
  error = fault_of(log->tally_, rules);
  return error.empty() ? log : nullptr;
}

std::shared_ptr<const ReplayLog> ReplayLog::read(const std::string& path, const ReplayRules& rules,
                                                 std::string& error) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code)) {
    error = "the log " + path + " is no file that can be read" +
            (code ? " (" + code.message() + ")" : "");
    return nullptr;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    error = "the log " + path + " cannot be read (" + std::strerror(errno) + ")";
    return nullptr;
  }
  auto log = read(file, rules, error);
  if (log == nullptr) error = "the log " + path + " cannot be replayed: " + error;
  return log;
}

}  // namespace hotlap::load
