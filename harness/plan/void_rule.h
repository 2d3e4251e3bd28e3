// Faults of the environment void a whole round; nothing is dropped for its value. Too many void
// rounds, or voids that fall on one arm's side, make the run invalid.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hotlap::plan {

inline constexpr double kVoidShare = 0.02;            // of the round's duration
inline constexpr int64_t kStealTick_ns = 10'000'000;  // steal is accounted in ticks of 10 ms
inline constexpr int64_t kVoidTicks = 3;
inline constexpr double kMaxVoidShare = 0.20;  // of all rounds started
inline constexpr double kVoidAlpha = 0.05;     // of the test of A's voids against B's

// What disturbed a round. Absent: not measured.
struct Disturbance {
  int64_t round_ns = 0;                      // the round's timed duration
  std::optional<int64_t> steal_ns;           // summed over the servers' CPUs
  std::optional<int64_t> generator_late_ns;  // time by which the load's slices began late, summed
  std::optional<int64_t> other_load_ns;      // CPU time of others on the servers' CPUs
};

// None when the round counts; else why it does not: "steal: 80 ms of …", "late generator: …",
// "other load: …". The word before the colon is the cause by which voids are counted.
std::optional<std::string> void_cause(const Disturbance& disturbance);

// Two-sided exact binomial test of voids seen in A's slices against those in B's, at 1/2.
double void_imbalance_p(uint32_t voids_a, uint32_t voids_b);

// None when the run is valid; else the reason. voids_by_arm counts only voids seen in one arm's
// slices; each arm is tested against the first, with Holm.
std::optional<std::string> run_invalid(uint32_t kept, uint32_t voided,
                                       std::span<const uint32_t> voids_by_arm);

// Void rounds beyond which a run of at most `max_rounds` can no longer become valid: stop there.
uint32_t max_void_rounds(uint32_t max_rounds);

}  // namespace hotlap::plan
