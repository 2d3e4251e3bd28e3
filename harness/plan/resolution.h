// What a run of n rounds can resolve, and how many rounds would decide. Spread is robust: one wild
// round moves neither.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace hotlap::plan {

inline constexpr double kPowerZ = 1.645;             // of a power of 95 %
inline constexpr double kInverseEfficiency = 1.047;  // pi / 3: variance of HL against the mean's

// 1.4826 * MAD about the median. Where more than half of the values are equal, so that the MAD is
// 0 and says nothing, the standard deviation.
double robust_spread(std::span<const double> values);

// spread * sqrt(1.047 / n): standard error of the Hodges-Lehmann estimate. 0 for n = 0.
double standard_error_of(double spread, uint32_t n);

// (z_{alpha/2} + 1.645) * se: the effect that is found with a power of 95 %.
double resolution(double standard_error, double alpha);

// ceil((z_{alpha/2} + 1.645)^2 * 1.047 * (spread / margin)^2), at least the rounds at which alpha
// can be reached at all. None where the margin is 0.
std::optional<uint32_t> rounds_to_decide(double spread, double margin, double alpha);

// margin + 1.645 * se: the true effect at which a gate fires with probability 95 %.
double gate_point(double margin, double standard_error);

}  // namespace hotlap::plan
