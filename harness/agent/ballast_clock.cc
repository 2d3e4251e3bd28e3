// The ballast's step, timed; see ballast_clock.h.
#include "harness/agent/ballast_clock.h"

#include <optional>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "harness/capture/cpu_clock.h"
#include "harness/targets/placement.h"
#include "server/ballast_chain.h"

namespace hotlap::agent {
namespace {

constexpr uint64_t kStepsPerTurn = 20'000;
constexpr int64_t kBudgetNs = 10'000'000;

}  // namespace

absl::StatusOr<double> ballast_step_ns(const std::vector<int>& cpus) {
  absl::Status pinned;
  int64_t spent_ns = 0;
  uint64_t steps = 0;
  std::thread([&] {
    pinned = targets::pin_this_thread(cpus);
    if (!pinned.ok()) return;
    uint64_t value = server::ballast_chain(kStepsPerTurn, 1);  // caches and clocks warm
    while (spent_ns < kBudgetNs) {
      const int64_t begin_ns = capture::this_thread_cpu_ns();
      value = server::ballast_chain(kStepsPerTurn, value);
      spent_ns += capture::this_thread_cpu_ns() - begin_ns;
      steps += kStepsPerTurn;
    }
  }).join();
  if (!pinned.ok()) return pinned;
  return static_cast<double>(spent_ns) / static_cast<double>(steps);
}

}  // namespace hotlap::agent
