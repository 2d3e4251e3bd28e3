// The two named pipes by which a `perf record` that starts disabled is told to begin, and says that
// it has: so that whoever waits for it knows that nothing later is missed.
#ifndef HOTLAP_HARNESS_CAPTURE_PERF_CONTROL_H_
#define HOTLAP_HARNESS_CAPTURE_PERF_CONTROL_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "harness/capture/unique_fd.h"

namespace hotlap::capture {

class PerfControl {
 public:
  // Makes PREFIX.control and PREFIX.answer, which must not exist.
  static absl::StatusOr<PerfControl> make(const std::string& prefix);

  // What perf is to be started with: disabled at first, and with these pipes.
  std::vector<std::string> arguments() const;

  // Tells perf to begin. False when it did not say within `patience` that it has, or ended
  // (`exit_fd` became readable) before.
  bool begin(int exit_fd, absl::Duration patience) const;

 private:
  PerfControl(std::string pipes, UniqueFd orders, UniqueFd answers)
      : pipes_(std::move(pipes)), orders_(std::move(orders)), answers_(std::move(answers)) {}

  std::string pipes_;  // "PREFIX.control,PREFIX.answer"
  UniqueFd orders_;
  UniqueFd answers_;
};

}  // namespace hotlap::capture

#endif  // HOTLAP_HARNESS_CAPTURE_PERF_CONTROL_H_
