// See perf_control.h.
#include "harness/capture/perf_control.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace hotlap::capture {
namespace {

absl::StatusOr<UniqueFd> make_pipe(const std::string& path) {
  if (mkfifo(path.c_str(), 0600) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot make ", path));
  }
  // For reading and writing, so that neither end waits for the other to open its own.
  UniqueFd fd(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  return fd;
}

}  // namespace

absl::StatusOr<PerfControl> PerfControl::make(const std::string& prefix) {
  const std::string control = prefix + ".control";
  const std::string answer = prefix + ".answer";
  auto orders = make_pipe(control);
  if (!orders.ok()) return orders.status();
  auto answers = make_pipe(answer);
  if (!answers.ok()) return answers.status();
  return PerfControl(absl::StrCat(control, ",", answer), *std::move(orders), *std::move(answers));
}

std::vector<std::string> PerfControl::arguments() const {
  return {"--delay", "-1", absl::StrCat("--control=fifo:", pipes_)};
}

bool PerfControl::begin(int exit_fd, absl::Duration patience) const {
  constexpr std::string_view kEnable = "enable\n";
  if (write(orders_.get(), kEnable.data(), kEnable.size()) !=
      static_cast<ssize_t>(kEnable.size())) {
    return false;
  }
  pollfd watched[] = {{answers_.get(), POLLIN, 0}, {exit_fd, POLLIN, 0}};
  const int timeout_ms = static_cast<int>(absl::ToInt64Milliseconds(patience));
  int ready = 0;
  do {
    ready = poll(watched, 2, timeout_ms);
  } while (ready < 0 && errno == EINTR);
  return ready > 0 && (watched[0].revents & POLLIN) != 0;
}

}  // namespace hotlap::capture
