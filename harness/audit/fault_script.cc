// See fault_script.h.
#include "harness/audit/fault_script.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <tuple>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace hotlap::audit {
namespace {

using hotlap::v1::AuditFaults;
using hotlap::v1::FaultSite;

constexpr size_t kMostCallers = 4;
constexpr size_t kMostSites = 40;
constexpr double kShownShare = 0.99;  // of all faults, that a terminal gets to see
constexpr uint64_t kKernelHalf = uint64_t{1} << 63;

bool parse_hex(std::string_view text, uint64_t& value) {
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value, 16);
  return error == std::errc() && at == end && !text.empty();
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// " 1148/1148  5577f9c21bd8 [unknown] ([heap])": process and address; what perf calls the place is
// what it was when perf began.
bool read_head(const std::string& line, FaultSample& sample) {
  const std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
  if (words.size() < 2) return false;
  const std::vector<std::string> ids = absl::StrSplit(words[0], '/');
  int process = 0;
  if (ids.size() != 2 || !absl::SimpleAtoi(ids[0], &process)) return false;
  sample.process = process;
  return parse_hex(words[1], sample.address);
}

// "\t  98109 _int_malloc (/usr/lib/libc.so.6)"; a function's name may hold spaces and parentheses.
bool read_frame(const std::string& line, FaultFrame& frame) {
  const std::string text(absl::StripAsciiWhitespace(line));
  const size_t space = text.find(' ');
  uint64_t address = 0;
  if (space == std::string::npos || !parse_hex(text.substr(0, space), address)) return false;
  std::string rest = text.substr(space + 1);
  constexpr std::string_view kDeleted = " (deleted))";  // a file that was replaced meanwhile
  if (std::string_view(rest).ends_with(kDeleted)) {
    rest.resize(rest.size() - kDeleted.size());
    rest += ')';
  }
  const size_t open = rest.rfind(" (");
  if (open != std::string::npos && rest.back() == ')') {
    frame.program = base_name(rest.substr(open + 2, rest.size() - open - 3));
    rest.resize(open);
  }
  frame.function = rest;
  frame.in_kernel = absl::StartsWith(frame.program, "[kernel") ||
                    absl::StartsWith(frame.program, "[guest.kernel") ||
                    (address >= kKernelHalf && address != UINT64_MAX);
  if (frame.program == "[unknown]") frame.program.clear();
  return address != UINT64_MAX;  // the mark by which perf ends a stack
}

// "blocks.h:25" is a line of source; "libc.so.6[348a8]" is perf's way to say that it has none.
bool is_source_line(const std::string& text) {
  const size_t colon = text.rfind(':');
  return colon != std::string::npos && colon > 0 && colon + 1 < text.size() &&
         text.find_first_not_of("0123456789", colon + 1) == std::string::npos && text[0] != '?';
}

std::string frame_text(const FaultFrame& frame) {
  std::string function = frame.function;
  if (function == "[unknown]" && !frame.program.empty()) {
    function = absl::StrCat("(no symbols in ", frame.program, ")");
  }
  return frame.line.empty() ? function : absl::StrCat(function, " ", frame.line);
}

using SiteKey = std::tuple<std::string, std::string, std::string, std::vector<std::string>>;

SiteKey site_of(const FaultSample& sample, const std::map<pid_t, Mappings>& mappings) {
  const auto known = mappings.find(sample.process);
  const std::string place =
      known == mappings.end() ? "of a process that ended" : known->second.place_of(sample.address);
  auto frame = std::find_if(sample.frames.begin(), sample.frames.end(),
                            [](const FaultFrame& one) { return !one.in_kernel; });
  if (frame == sample.frames.end()) return {"(kernel, no user code seen)", "", place, {}};
  std::string code = frame_text(*frame);
  if (frame != sample.frames.begin()) absl::StrAppend(&code, ", in its system call");
  const std::string program = frame->program;
  std::vector<std::string> callers;
  for (++frame; frame != sample.frames.end() && callers.size() < kMostCallers; ++frame) {
    if (!frame->in_kernel && frame->function != "[unknown]") callers.push_back(frame_text(*frame));
  }
  return {code, program, place, callers};
}

}  // namespace

std::vector<FaultSample> read_fault_script(const std::string& text) {
  std::vector<FaultSample> samples;
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  bool within = false;
  for (const std::string& line : lines) {
    if (absl::StripAsciiWhitespace(line).empty()) {
      within = false;
      continue;
    }
    FaultFrame frame;
    if (!within) {
      FaultSample sample;
      within = read_head(line, sample);
      if (within) samples.push_back(std::move(sample));
    } else if (read_frame(line, frame)) {
      samples.back().frames.push_back(std::move(frame));
    } else if (!samples.back().frames.empty()) {
      const std::string source(absl::StripAsciiWhitespace(line));
      if (is_source_line(source)) samples.back().frames.back().line = source;
    }
  }
  return samples;
}

Mappings::Mappings(const std::string& maps) {
  const std::vector<std::string> lines = absl::StrSplit(maps, '\n', absl::SkipEmpty());
  for (const std::string& line : lines) {
    const std::vector<std::string> words =
        absl::StrSplit(line, absl::MaxSplits(' ', 5));  // the name may hold spaces
    const std::vector<std::string> ends = absl::StrSplit(words[0], '-');
    uint64_t begin = 0;
    uint64_t end = 0;
    if (words.size() < 5 || ends.size() != 2 || !parse_hex(ends[0], begin) ||
        !parse_hex(ends[1], end)) {
      continue;
    }
    std::string name(absl::StripAsciiWhitespace(words.size() > 5 ? words[5] : ""));
    std::string place = name.empty() ? "anonymous" : base_name(name);
    if (place.size() > 2 && place.front() == '[') place = place.substr(1, place.size() - 2);
    by_begin_[begin] = {end, place};
  }
}

std::string Mappings::place_of(uint64_t address) const {
  auto after = by_begin_.upper_bound(address);
  if (after == by_begin_.begin()) return "unmapped since";
  const Mapping& mapping = std::prev(after)->second;
  return address < mapping.end ? mapping.place : "unmapped since";
}

AuditFaults fold_faults(const std::vector<FaultSample>& samples,
                        const std::map<pid_t, Mappings>& mappings, uint32_t requests) {
  std::map<SiteKey, uint64_t> counts;
  for (const FaultSample& sample : samples) ++counts[site_of(sample, mappings)];
  std::vector<std::pair<SiteKey, uint64_t>> sites(counts.begin(), counts.end());
  std::stable_sort(sites.begin(), sites.end(),
                   [](const auto& x, const auto& y) { return x.second > y.second; });
  if (sites.size() > kMostSites) sites.resize(kMostSites);
  const auto per_request = [requests](uint64_t n) {
    return static_cast<double>(n) / std::max<double>(requests, 1);
  };
  AuditFaults faults;
  faults.set_requests(requests);
  faults.set_faults(samples.size());
  faults.set_per_request(per_request(samples.size()));
  for (const auto& [key, count] : sites) {
    FaultSite* site = faults.add_sites();
    const auto& [code, program, place, callers] = key;
    site->set_code(code);
    site->set_program(program);
    site->set_place(place);
    for (const std::string& caller : callers) site->add_callers(caller);
    site->set_faults(count);
    site->set_per_request(per_request(count));
  }
  return faults;
}

std::string faults_text(const hotlap::v1::ArmAudit& arm) {
  if (!arm.has_faults()) return "";
  const AuditFaults& faults = arm.faults();
  const std::string who = absl::StrCat(arm.arm(), " ", arm.asked());
  if (!faults.unavailable().empty()) {
    return absl::StrCat("\npage faults of ", who, ": not to be had: ", faults.unavailable(), "\n");
  }
  std::string text = absl::StrFormat("\npage faults of %s: %.2f a request (%d in %d requests)\n",
                                     who, faults.per_request(), faults.faults(), faults.requests());
  uint64_t shown = 0;
  for (const FaultSite& site : faults.sites()) {
    if (static_cast<double>(shown) >= kShownShare * static_cast<double>(faults.faults())) break;
    shown += site.faults();
    absl::StrAppendFormat(&text, "  %8.2f  %s: %s%s\n", site.per_request(), site.place(),
                          site.code(),
                          site.program().empty() ? "" : absl::StrCat("  [", site.program(), "]"));
    for (const std::string& caller : site.callers()) {
      absl::StrAppend(&text, "                from ", caller, "\n");
    }
  }
  if (shown < faults.faults()) {
    absl::StrAppend(&text, "            and ", faults.faults() - shown, " more elsewhere\n");
  }
  return text;
}

}  // namespace hotlap::audit
