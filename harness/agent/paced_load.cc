// See paced_load.h.
#include "harness/agent/paced_load.h"

#include <chrono>
#include <vector>

#include "absl/strings/str_cat.h"
#include "harness/agent/load_arm.h"
#include "harness/capture/asleep.h"

namespace hotlap::agent {
namespace {

constexpr auto kPatience = std::chrono::seconds(1);

}  // namespace

void PacedLoad::await_rest() {
  if (!rests_) return;
  rests_ = capture::await_asleep([this] { return target_.tree(); }, kPatience,
                                 [this] { return !cancellation_.raised(); });
}

absl::Status PacedLoad::send(const std::string& arm_name, uint32_t requests,
                             const std::function<void()>& before_each) {
  // A slice that lasts no time is one request on the one connection.
  const std::vector<load::SliceSpec> schedule(requests, {arm_, 0});
  hotlap::v1::ErrorCounts counts;
  generator_.run(schedule, [&](const load::Edge& edge) {
    if (edge.result != nullptr) {
      add_counts(edge.result->counts, counts);
      return !cancellation_.raised() && edge.result->counts.failed() == 0;
    }
    await_rest();
    before_each();
    return !cancellation_.raised();
  });
  if (cancellation_.raised()) return absl::CancelledError("cancelled");
  const absl::Status status = check_errors(arm_name, counts, 0);
  if (!status.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(
        std::string(status.message()), "; the first: ", generator_.first_failure(arm_)));
  }
  if (counts.ok() == requests) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat(counts.ok(), " requests were answered where ", requests, " were due"));
}

}  // namespace hotlap::agent
