// The forms of a line of strace; see trace.h.
//   PID SECONDS.NANOSECONDS name(arguments) = result
//   PID …                   name(arguments <unfinished ...>
//   PID …                   <... name resumed>arguments) = result
//   PID …                   --- SIGTERM {…} ---
//   PID …                   +++ exited with 0 +++
#include "harness/audit/trace.h"

#include <map>
#include <utility>

#include "absl/strings/numbers.h"

namespace hotlap::audit {
namespace {

constexpr std::string_view kUnfinished = "<unfinished ...>";
constexpr std::string_view kResumed = " resumed>";
constexpr int64_t kNsPerS = 1'000'000'000;
constexpr size_t kNanosecondDigits = 9;

bool to_number(std::string_view digits, int64_t& number) {
  return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos &&
         absl::SimpleAtoi(std::string(digits), &number);
}

// Takes the word before the next space.
std::string_view take_word(std::string_view& line) {
  const size_t end = line.find(' ');
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end);
  while (line.starts_with(' ')) line.remove_prefix(1);
  return word;
}

bool read_time(std::string_view word, int64_t& ns) {
  const size_t point = word.find('.');
  if (point == std::string_view::npos || word.size() - point - 1 != kNanosecondDigits) return false;
  int64_t seconds = 0;
  int64_t fraction = 0;
  if (!to_number(word.substr(0, point), seconds) || !to_number(word.substr(point + 1), fraction)) {
    return false;
  }
  ns = seconds * kNsPerS + fraction;
  return true;
}

// "arguments) = result": the result may hold parentheses and the arguments " = ", but only the end
// of the call has a closing parenthesis, then blanks, then "= ".
bool split_result(std::string_view body, TracedEvent& event) {
  for (size_t at = body.rfind("= "); at != std::string_view::npos && at > 0;
       at = body.rfind("= ", at - 1)) {
    std::string_view before = body.substr(0, at);
    const size_t last = before.find_last_not_of(' ');
    if (last == std::string_view::npos || before[last] != ')' || last + 1 == at) continue;
    event.arguments = std::string(before.substr(0, last));
    event.result = std::string(body.substr(at + 2));
    return true;
  }
  return false;
}

class Reader {
 public:
  void read_line(std::string_view line) {
    if (line.empty()) return;
    int64_t task = 0;
    TracedEvent event;
    if (!to_number(take_word(line), task) || !read_time(take_word(line), event.begin_ns)) {
      ++trace_.unread_lines;
      return;
    }
    event.task = static_cast<pid_t>(task);
    if (!read_event(line, std::move(event))) ++trace_.unread_lines;
  }

  Trace finish() && {
    for (const auto& [task, pending] : pending_) {
      trace_.events[pending.index].arguments = pending.text;
      trace_.events[pending.index].result = "?";
    }
    return std::move(trace_);
  }

 private:
  struct Pending {
    size_t index;
    std::string text;
  };

  bool read_event(std::string_view text, TracedEvent event) {
    if (text.starts_with("--- ")) {
      text.remove_prefix(4);
      const std::string_view name = take_word(text);
      if (!name.starts_with("SIG")) return true;  // "stopped by": no signal of its own
      event.kind = EventKind::kSignal;
      event.name = std::string(name);
      trace_.events.push_back(std::move(event));
      return true;
    }
    if (text.starts_with("+++ ")) {
      event.kind = EventKind::kExit;
      trace_.events.push_back(std::move(event));
      return true;
    }
    if (text.starts_with("<... ")) return resume(text, event.task);
    return begin(text, std::move(event));
  }

  bool begin(std::string_view text, TracedEvent event) {
    const size_t open = text.find('(');
    if (open == std::string_view::npos || open == 0) return false;
    event.name = std::string(text.substr(0, open));
    text.remove_prefix(open + 1);
    if (text.ends_with(kUnfinished)) {
      text.remove_suffix(kUnfinished.size());
      while (text.ends_with(' ')) text.remove_suffix(1);
      pending_[event.task] = {trace_.events.size(), std::string(text)};
      trace_.events.push_back(std::move(event));
      return true;
    }
    if (!split_result(text, event)) return false;
    trace_.events.push_back(std::move(event));
    return true;
  }

  bool resume(std::string_view text, pid_t task) {
    const size_t end = text.find(kResumed);
    const auto found = pending_.find(task);
    if (end == std::string_view::npos || found == pending_.end()) return false;
    text.remove_prefix(end + kResumed.size());
    Pending& pending = found->second;
    if (text.ends_with(kUnfinished)) return true;  // ended within the call
    // strace leaves the blank after a comma on the first half, which was cut, or on this one.
    while (text.starts_with(' ')) text.remove_prefix(1);
    if (pending.text.ends_with(',')) pending.text += ' ';
    const bool whole = split_result(pending.text + std::string(text), trace_.events[pending.index]);
    pending_.erase(found);
    return whole;
  }

  Trace trace_;
  std::map<pid_t, Pending> pending_;
};

}  // namespace

Trace read_trace(std::string_view text) {
  Reader reader;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    reader.read_line(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return std::move(reader).finish();
}

pid_t created_task(std::string_view result) {
  constexpr std::string_view kTranslated = " in strace's PID NS";
  const size_t translated = result.find(kTranslated);
  std::string_view number = result;
  if (translated != std::string_view::npos) {
    number = result.substr(0, translated);
    const size_t blank = number.rfind(' ');
    number = number.substr(blank == std::string_view::npos ? 0 : blank + 1);
  } else {
    number = result.substr(0, result.find(' '));
  }
  int64_t task = 0;
  return to_number(number, task) ? static_cast<pid_t>(task) : 0;
}

}  // namespace hotlap::audit
