// The forms of a sample's fields; see tracepoint_script.h.
//   raw_syscalls:sys_enter: NR 45 (6, 7f1200001000, 1000, 0, 0, 0)
//   raw_syscalls:sys_exit: NR 45 = 78
//   signal:signal_deliver: sig=15 errno=0 code=0 sa_handler=… sa_flags=…
#include "harness/audit/tracepoint_script.h"

#include <linux/sched.h>

#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "harness/audit/flag_names.h"
#include "harness/audit/raw_call_text.h"
#include "harness/capture/syscall_names.h"
#include "harness/profile/perf_script.h"

namespace hotlap::audit {
namespace {

using profile::ScriptChange;
using profile::ScriptSample;
using profile::ThreadChange;
using std::string_view;

constexpr string_view kEnter = "sys_enter: NR ";
constexpr string_view kExit = "sys_exit: NR ";
constexpr string_view kSignal = "signal_deliver: sig=";
// The number at the exit of a call that has none any more, such as rt_sigreturn.
constexpr int64_t kNoNumber = -1;

template <typename Number>
std::optional<Number> take_number(string_view& text, int base = 10) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

// What stands behind `mark`; nothing where that is not there.
std::optional<string_view> behind(string_view text, string_view mark) {
  const size_t at = text.find(mark);
  if (at == string_view::npos) return std::nullopt;
  return text.substr(at + mark.size());
}

// " (6, 7f1200001000, 1000, 0, 0, 0)"
std::optional<Registers> read_registers(string_view text) {
  Registers registers = {};
  string_view before = " (";
  for (uint64_t& one : registers) {
    if (!text.starts_with(before)) return std::nullopt;
    text.remove_prefix(before.size());
    const auto number = take_number<uint64_t>(text, 16);
    if (!number) return std::nullopt;
    one = *number;
    before = ", ";
  }
  return text == ")" ? std::optional(registers) : std::nullopt;
}

bool clones(const std::string& name) {
  return name == "clone" || name == "clone3" || name == "fork" || name == "vfork";
}

class Reader {
 public:
  Reader(uint16_t port, const Descriptors& inherited) : tables_(port), inherited_(inherited) {}

  void read(const ScriptSample& sample) {
    if (first_process_ == 0) {
      first_process_ = sample.process;
      tables_.begin(first_process_, inherited_);
    }
    if (const auto entered = behind(sample.fields, kEnter)) {
      if (!enter(sample, *entered)) ++trace_.unread_lines;
    } else if (const auto left = behind(sample.fields, kExit)) {
      if (!leave(sample, *left)) ++trace_.unread_lines;
    } else if (auto signal = behind(sample.fields, kSignal)) {
      const auto number = take_number<int>(*signal);
      push(sample, EventKind::kSignal).name = signal_name(number.value_or(0));
    } else {
      ++trace_.unread_lines;
    }
  }

  void read(const ScriptChange& change) {
    if (change.change == ThreadChange::kBegins) {
      abandon(change.thread);  // of an earlier thread of that number
      begin(change);
    } else if (change.change == ThreadChange::kEnds) {
      abandon(change.thread);
      TracedEvent event;
      event.kind = EventKind::kExit;
      event.task = change.thread;
      event.begin_ns = change.time_ns;
      trace_.events.push_back(std::move(event));
    }
  }

  void skip(int64_t unread_lines) { trace_.unread_lines += unread_lines; }

  Trace finish() && {
    while (!pending_.empty()) abandon(pending_.begin()->first);
    return std::move(trace_);
  }

 private:
  struct Pending {
    size_t event;
    pid_t process;
    int64_t number;
    RawCall call;
  };

  TracedEvent& push(const ScriptSample& sample, EventKind kind) {
    TracedEvent event;
    event.kind = kind;
    event.task = sample.thread;
    event.begin_ns = sample.time_ns;
    trace_.events.push_back(std::move(event));
    return trace_.events.back();
  }

  bool enter(const ScriptSample& sample, string_view text) {
    const auto number = take_number<int64_t>(text);
    const auto registers = read_registers(text);
    if (!number || !registers) return false;
    abandon(sample.thread);
    Pending pending{trace_.events.size(), sample.process, *number, {}};
    pending.call.name = capture::syscall_name(*number);
    pending.call.arguments = *registers;
    for (size_t i = 0; i < registers->size(); ++i) {
      if (!is_descriptor(pending.call.name, i)) continue;
      pending.call.descriptors[i] = tables_.annotation(sample.process, as_int((*registers)[i]));
    }
    push(sample, EventKind::kCall).name = pending.call.name;
    pending_.insert_or_assign(sample.thread, std::move(pending));
    return true;
  }

  // An exit without its entry is that of a call in flight when the recording began, or the first
  // of a new thread: of the clone that its maker entered.
  bool leave(const ScriptSample& sample, string_view text) {
    const auto number = take_number<int64_t>(text);
    if (!number || !text.starts_with(" = ")) return false;
    text.remove_prefix(3);
    const auto result = take_number<int64_t>(text);
    if (!result) return false;
    const auto found = pending_.find(sample.thread);
    if (found == pending_.end()) return true;
    Pending pending = std::move(found->second);
    pending_.erase(found);
    if (*number == pending.number || *number == kNoNumber) {
      pending.call.result = *result;
      if (tables_.learn(sample.process, pending.call)) {
        pending.call.result_descriptor = tables_.annotation(sample.process, *result);
      }
    }
    write(pending);
    return true;
  }

  void begin(const ScriptChange& change) {
    const auto maker = pending_.find(change.begun_by);
    if (maker == pending_.end() || !clones(maker->second.call.name)) return;
    RawCall& call = maker->second.call;
    call.created = change.thread;
    call.made_thread = change.process == maker->second.process;
    if (call.made_thread) return;
    const bool shares = call.name == "clone" && (call.arguments[0] & CLONE_FILES) != 0;
    tables_.fork(maker->second.process, change.process, shares);
  }

  // The thread's call will not return.
  void abandon(pid_t thread) {
    const auto found = pending_.find(thread);
    if (found == pending_.end()) return;
    write(found->second);
    pending_.erase(found);
  }

  void write(const Pending& pending) {
    TracedEvent& event = trace_.events[pending.event];
    event.arguments = arguments_text(pending.call);
    event.result = result_text(pending.call);
  }

  Trace trace_;
  DescriptorTables tables_;
  const Descriptors& inherited_;
  pid_t first_process_ = 0;
  std::map<pid_t, Pending> pending_;
};

}  // namespace

absl::StatusOr<Trace> read_tracepoints(string_view text, uint16_t port,
                                       const Descriptors& inherited) {
  const profile::Script script = profile::read_script(text);
  if (script.lost_samples > 0) {
    return absl::DataLossError(absl::StrCat(
        "the trace is void: perf lost ", script.lost_samples,
        " records, so that counts would be too low: ask for fewer requests (-n), or stop what "
        "else runs on this machine"));
  }
  Reader reader(port, inherited);
  auto change = script.changes.begin();
  for (size_t i = 0; i <= script.samples.size(); ++i) {
    while (change != script.changes.end() && change->samples_before == i) reader.read(*change++);
    if (i < script.samples.size()) reader.read(script.samples[i]);
  }
  reader.skip(script.unread_lines);
  return std::move(reader).finish();
}

}  // namespace hotlap::audit
