// See turn_sums.h.
#include "harness/profile/turn_sums.h"

#include <algorithm>
#include <cmath>

namespace hotlap::profile {
namespace {

std::optional<double> jackknife_error(const std::vector<std::optional<double>>& without) {
  const auto n = static_cast<double>(without.size());
  double mean = 0;
  for (const auto& value : without) {
    if (!value) return std::nullopt;
    mean += *value / n;
  }
  if (without.size() < 2) return std::nullopt;
  double squares = 0;
  for (const auto& value : without) squares += (*value - mean) * (*value - mean);
  return std::sqrt((n - 1) / n * squares);
}

}  // namespace

TurnSums& TurnSums::operator+=(const TurnSums& other) {
  part += other.part;
  sampled += other.sampled;
  total += other.total;
  requests += other.requests;
  return *this;
}

TurnSums operator-(const TurnSums& left, const TurnSums& right) {
  return {left.part - right.part, left.sampled - right.sampled, left.total - right.total,
          left.requests - right.requests};
}

std::optional<double> TurnSums::per_request() const {
  if (requests <= 0) return std::nullopt;
  if (sampled <= 0) return total > 0 ? std::nullopt : std::optional<double>(0);
  return part / sampled * total / requests;
}

TurnSums counted(double amount, double requests) { return {amount, 1, 1, requests}; }

void Series::add(const TurnSums& turn) {
  turns.push_back(turn);
  sum += turn;
}

std::optional<double> error_of(const Series& arm) {
  std::vector<std::optional<double>> without;
  for (const TurnSums& turn : arm.turns) without.push_back((arm.sum - turn).per_request());
  return jackknife_error(without);
}

std::optional<double> error_of_difference(const Series& a, const Series& b) {
  std::vector<std::optional<double>> without;
  for (size_t i = 0; i < std::min(a.turns.size(), b.turns.size()); ++i) {
    const auto left = (a.sum - a.turns[i]).per_request();
    const auto right = (b.sum - b.turns[i]).per_request();
    without.push_back(left && right ? std::optional<double>(*right - *left) : std::nullopt);
  }
  return jackknife_error(without);
}

}  // namespace hotlap::profile
