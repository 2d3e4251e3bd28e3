// Requests one at a time, each sent when the target sleeps again: what the target does for one is
// then the same as for the next, whatever else the machine does.
#ifndef HOTLAP_HARNESS_AGENT_PACED_LOAD_H_
#define HOTLAP_HARNESS_AGENT_PACED_LOAD_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "harness/agent/cancellation.h"
#include "harness/load/generator.h"
#include "harness/targets/target_process.h"

namespace hotlap::agent {

class PacedLoad {
 public:
  PacedLoad(load::Generator& generator, size_t arm, const targets::TargetProcess& target,
            const Cancellation& cancellation)
      : generator_(generator), arm_(arm), target_(target), cancellation_(cancellation) {}

  // Waits until every thread of the target sleeps. One that did not within its patience is never
  // waited for again, and rests() is false from then on.
  void await_rest();
  bool rests() const { return rests_; }

  // Sends `requests` on the arm's one open connection; `before_each` is called at rest. All must be
  // answered as expected: else an error that names the arm. CANCELLED when that was raised.
  absl::Status send(const std::string& arm_name, uint32_t requests,
                    const std::function<void()>& before_each);

 private:
  load::Generator& generator_;
  size_t arm_;
  const targets::TargetProcess& target_;
  const Cancellation& cancellation_;
  bool rests_ = true;
};

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_PACED_LOAD_H_
