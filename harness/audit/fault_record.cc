// See fault_record.h.
#include "harness/audit/fault_record.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "harness/capture/unique_fd.h"

namespace hotlap::audit {
namespace {

constexpr absl::Duration kAttachTime = absl::Seconds(20);
constexpr absl::Duration kEndTime = absl::Seconds(30);
constexpr absl::Duration kScriptTime = absl::Minutes(2);  // source lines are looked up one by one
constexpr char kStackBytes[] = "dwarf,4096";

// Perf answers "ack" once it has begun.
bool await_answer(int fd, int exit_fd) {
  pollfd watched[] = {{fd, POLLIN, 0}, {exit_fd, POLLIN, 0}};
  const int timeout_ms = static_cast<int>(absl::ToInt64Milliseconds(kAttachTime));
  int ready = 0;
  do {
    ready = poll(watched, 2, timeout_ms);
  } while (ready < 0 && errno == EINTR);
  return ready > 0 && (watched[0].revents & POLLIN) != 0;
}

absl::StatusOr<capture::UniqueFd> make_fifo(const std::string& path) {
  unlink(path.c_str());
  if (mkfifo(path.c_str(), 0600) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot make ", path));
  }
  // For reading and writing, so that neither end waits for the other to open its own.
  capture::UniqueFd fd(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  return fd;
}

absl::Status explain(const absl::Status& failure) {
  if (absl::IsNotFound(failure) || absl::StrContains(std::string(failure.message()), "not found")) {
    return absl::NotFoundError("perf is not installed: `apt-get install linux-perf`");
  }
  return failure;
}

std::string last_line(const std::string& text) {
  const size_t end = text.find_last_not_of("\n ");
  if (end == std::string::npos) return "it said nothing";
  const size_t begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1, end - begin);
}

}  // namespace

absl::StatusOr<std::unique_ptr<FaultRecord>> FaultRecord::attach(
    targets::Spawner& spawner, const std::vector<pid_t>& processes, const std::string& directory) {
  const std::string control = directory + "/faults.control";
  const std::string answer = directory + "/faults.answer";
  const auto orders = make_fifo(control);
  if (!orders.ok()) return orders.status();
  const auto answers = make_fifo(answer);
  if (!answers.ok()) return answers.status();
  targets::CompanionOptions options;
  options.name = "perf record";
  options.argv = {"perf",
                  "record",
                  "--quiet",
                  "--no-buildid",
                  "--no-buildid-cache",
                  "--delay",
                  "-1",
                  absl::StrCat("--control=fifo:", control, ",", answer),
                  "--event",
                  "page-faults",
                  "--count",
                  "1",
                  "--data",
                  "--call-graph",
                  kStackBytes,
                  "--output",
                  directory + "/faults.data",
                  "--pid",
                  absl::StrJoin(processes, ",")};
  auto process = spawner.launch_companion(options);
  if (!process.ok()) return explain(process.status());
  constexpr char kEnable[] = "enable\n";
  (void)!write(orders->get(), kEnable, sizeof kEnable - 1);
  if (!await_answer(answers->get(), (*process)->exit_fd())) {
    (*process)->stop();
    return explain(absl::FailedPreconditionError(
        absl::StrCat("perf record did not begin: ", last_line((*process)->output_tail()))));
  }
  // The constructor is private.
  return std::unique_ptr<FaultRecord>(new FaultRecord(spawner, *std::move(process), directory));
}

absl::StatusOr<std::string> FaultRecord::take_script() {
  // Its launcher passes SIGTERM on to perf, which then writes what it has and ends.
  process_->stop(kEndTime);
  const std::string file = directory_ + "/faults.script";
  targets::CompanionOptions options;
  options.name = "perf script";
  options.argv = {"/bin/sh",
                  "-c",
                  "exec perf script -i \"$1\" --no-inline -F pid,tid,addr,ip,sym,srcline,dso "
                  "> \"$2\"",
                  "sh",
                  directory_ + "/faults.data",
                  file};
  auto script = spawner_.launch_companion(options);
  if (!script.ok()) return explain(script.status());
  if (!(*script)->await_end(kScriptTime)) {
    return absl::DeadlineExceededError("perf script did not end: ask for fewer requests");
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    return absl::NotFoundError(
        absl::StrCat("perf script wrote nothing: ", last_line((*script)->output_tail())));
  }
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

}  // namespace hotlap::audit
