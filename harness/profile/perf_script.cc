// Line by line; see perf_script.h.
#include "harness/profile/perf_script.h"

#include <charconv>
#include <optional>
#include <tuple>
#include <utility>

namespace hotlap::profile {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr uint64_t kKernelHalf = uint64_t{1} << 63;
// At the end of a chain that was unwound to its root.
constexpr uint64_t kNoAddress = ~uint64_t{0};
constexpr std::string_view kUnknown = "[unknown]";
constexpr std::string_view kDeleted = " (deleted)";

std::string_view without_blanks(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// Takes a number off the front of `text`.
template <typename Number>
std::optional<Number> take_number(std::string_view& text, int base = 10) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// "24725.218547185:" is seconds, with nine digits behind the point.
std::optional<int64_t> take_time(std::string_view& text) {
  const auto seconds = take_number<int64_t>(text);
  if (!seconds || !take(text, ".")) return std::nullopt;
  const size_t before = text.size();
  const auto fraction = take_number<int64_t>(text);
  if (!fraction || before - text.size() != 9 || !take(text, ":")) return std::nullopt;
  return *seconds * 1'000'000'000 + *fraction;
}

// "  7013/7013  24725.218547185: " and, of events that are no samples, what follows.
std::optional<ScriptSample> read_head(std::string_view line, std::string_view& rest) {
  line = without_blanks(line);
  ScriptSample sample;
  const auto process = take_number<pid_t>(line);
  if (!process || !take(line, "/")) return std::nullopt;
  const auto thread = take_number<pid_t>(line);
  if (!thread) return std::nullopt;
  line = without_blanks(line);
  const auto time_ns = take_time(line);
  if (!time_ns) return std::nullopt;
  sample.process = *process;
  sample.thread = *thread;
  sample.time_ns = *time_ns;
  rest = without_blanks(line);
  return sample;
}

constexpr std::string_view kHexDigits = "0123456789abcdef";

// Where a symbol ends and its object begins: behind the offset, which every symbol has. Both may
// hold blanks and brackets, so that without an offset the last bracket behind a blank is taken.
struct Split {
  std::string_view symbol;
  std::string_view object;  // with its brackets
};
std::optional<Split> split_symbol(std::string_view text) {
  for (size_t at = text.find("+0x"); at != std::string_view::npos; at = text.find("+0x", at + 3)) {
    const size_t end = text.find_first_not_of(kHexDigits, at + 3);
    if (end == std::string_view::npos || end == at + 3) continue;
    if (text.substr(end).starts_with(" (")) return Split{text.substr(0, at), text.substr(end + 1)};
  }
  if (text.starts_with(kUnknown)) {
    return Split{kUnknown, without_blanks(text.substr(kUnknown.size()))};
  }
  const size_t open = text.rfind(" (");
  if (open == std::string_view::npos) return std::nullopt;
  return Split{text.substr(0, open), text.substr(open + 1)};
}

// "	   818ff hotlap::server::drive+0x4a2 (/path/to/hotlap-server)"
std::optional<ScriptFrame> read_frame(std::string_view line) {
  line = without_blanks(line);
  ScriptFrame frame;
  const auto address = take_number<uint64_t>(line, 16);
  if (!address || !line.starts_with(" ") || !line.ends_with(")")) return std::nullopt;
  frame.address = *address;
  frame.kernel = *address >= kKernelHalf;
  const auto split = split_symbol(without_blanks(line));
  if (!split || !split->object.starts_with("(")) return std::nullopt;
  std::string_view object = split->object.substr(1, split->object.size() - 2);
  if (object.ends_with(kDeleted)) object.remove_suffix(kDeleted.size());
  if (object != kUnknown) frame.object = object;
  if (split->symbol != kUnknown) frame.function = without_blanks(split->symbol);
  return frame;
}

// "PERF_RECORD_LOST lost 12", "PERF_RECORD_LOST_SAMPLES lost 12"
int64_t lost_in(std::string_view event) {
  const size_t at = event.rfind(' ');
  if (at == std::string_view::npos) return 0;
  std::string_view number = event.substr(at + 1);
  return take_number<int64_t>(number).value_or(0);
}

// Takes "7013:7014" or "7013/7014" off the front of `text`.
std::optional<std::pair<pid_t, pid_t>> take_task(std::string_view& text, std::string_view between) {
  const auto process = take_number<pid_t>(text);
  if (!process || !take(text, between)) return std::nullopt;
  const auto thread = take_number<pid_t>(text);
  if (!thread) return std::nullopt;
  return std::make_pair(*process, *thread);
}

// "PERF_RECORD_SWITCH OUT preempt" of the thread whose line it is; "PERF_RECORD_FORK(7013:7014):(…"
// and "PERF_RECORD_EXIT(7013:7014):(…" of the one in the first brackets.
std::optional<ScriptChange> change_in(const ScriptSample& head, std::string_view event) {
  ScriptChange change{head.process, head.thread, head.time_ns};
  if (take(event, "PERF_RECORD_SWITCH ")) {
    event = without_blanks(event);
    if (event == "IN") return change;
    change.change = event == "OUT" ? ThreadChange::kSleeps : ThreadChange::kPreempted;
    return event.starts_with("OUT") ? std::optional(change) : std::nullopt;
  }
  const bool begins = take(event, "PERF_RECORD_FORK(");
  if (!begins && !take(event, "PERF_RECORD_EXIT(")) return std::nullopt;
  const auto task = take_task(event, ":");
  if (!task) return std::nullopt;
  std::tie(change.process, change.thread) = *task;
  change.change = begins ? ThreadChange::kBegins : ThreadChange::kEnds;
  if (begins) change.begun_by = head.thread;
  return change;
}

void read_record(const ScriptSample& head, std::string_view event, Script& script) {
  if (event.starts_with("PERF_RECORD_LOST")) {
    script.lost_samples += lost_in(event);
  } else if (auto change = change_in(head, event)) {
    change->samples_before = script.samples.size();
    script.changes.push_back(*change);
  } else if (event.starts_with("PERF_RECORD_COMM") && head.time_ns == 0) {
    // "PERF_RECORD_COMM: any name:7013/7014"
    std::string_view task = event.substr(event.rfind(':') + 1);
    if (const auto known = take_task(task, "/")) script.first_threads.push_back(known->second);
  }
}

}  // namespace

Script read_script(std::string_view text) {
  Script script;
  bool in_sample = false;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (without_blanks(line).empty()) {
      in_sample = false;
      continue;
    }
    if (in_sample) {
      if (const auto frame = read_frame(line)) {
        if (frame->address != kNoAddress) script.samples.back().frames.push_back(*frame);
        continue;
      }
    }
    std::string_view event;
    auto sample = read_head(line, event);
    in_sample = sample.has_value() && !event.starts_with("PERF_RECORD");
    if (in_sample) {
      sample->fields = event;
      script.samples.push_back(*std::move(sample));
    } else if (sample) {
      read_record(*sample, event, script);
    } else {
      ++script.unread_lines;
    }
  }
  return script;
}

}  // namespace hotlap::profile
