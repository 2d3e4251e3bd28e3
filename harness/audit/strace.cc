// See strace.h.
#include "harness/audit/strace.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "harness/capture/whole_file.h"

namespace hotlap::audit {
namespace {

constexpr absl::Duration kAttachTime = absl::Seconds(10);
constexpr absl::Duration kEndTime = absl::Seconds(10);
// Elements of an array, and bytes of a text, that strace prints; texts are masked, but events of an
// epoll_wait and parts of a writev are not.
constexpr char kShownElements[] = "32";

absl::Status explain(const absl::Status& failure) {
  const std::string message(failure.message());
  if (absl::IsNotFound(failure) || absl::StrContains(message, "not found")) {
    return absl::NotFoundError("strace is not installed: `apt-get install strace`");
  }
  if (absl::StrContains(message, "Operation not permitted") ||
      absl::StrContains(message, "Permission denied")) {
    return absl::PermissionDeniedError(absl::StrCat(
        "strace may not trace here: run as root or `sysctl -w kernel.yama.ptrace_scope=1`; in a "
        "container, grant it CAP_SYS_PTRACE (docker run --cap-add SYS_PTRACE); strace said: ",
        message));
  }
  return failure;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Strace>> Strace::attach(targets::Spawner& spawner, pid_t task,
                                                       const std::string& file) {
  targets::CompanionOptions options;
  options.name = "strace";
  options.argv = {"strace",
                  "-f",
                  "-yy",
                  "--pidns-translation",
                  "--absolute-timestamps=format:unix,precision:ns",
                  "-s",
                  kShownElements,
                  "-o",
                  file,
                  "-p",
                  absl::StrCat(task)};
  options.timeout = kAttachTime;
  options.is_ready = [](const std::string& line) { return absl::StrContains(line, " attached"); };
  auto process = spawner.launch_companion(options);
  if (!process.ok()) return explain(process.status());
  // The constructor is private.
  return std::unique_ptr<Strace>(new Strace(*std::move(process), file));
}

absl::StatusOr<std::string> Strace::take_trace() {
  if (!process_->await_end(kEndTime)) {
    return absl::DeadlineExceededError(
        "strace did not end with the target: is a process of the target still running?");
  }
  auto text = capture::read_whole_file(file_);
  if (!text) return absl::NotFoundError(absl::StrCat("strace left no trace at ", file_));
  return *std::move(text);
}

}  // namespace hotlap::audit
