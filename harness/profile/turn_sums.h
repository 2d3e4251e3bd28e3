// An amount a request and how sure it is. A part of what was sampled stands for its share of a
// total; the error is the jackknife's over turns, of a difference over pairs of turns that followed
// one another, so that drift that both saw cancels: leave each pair out once, and see how the
// figure moves (Efron and Stein 1981, the delete-one estimator, for a ratio of sums). It holds the
// noise of sampling and that of the machine alike.
#ifndef HOTLAP_HARNESS_PROFILE_TURN_SUMS_H_
#define HOTLAP_HARNESS_PROFILE_TURN_SUMS_H_

#include <optional>
#include <vector>

namespace hotlap::profile {

// Of one turn, or of several added up.
struct TurnSums {
  double part = 0;     // of what was sampled: that of one row
  double sampled = 0;  // all of what was sampled
  double total = 0;    // what the samples stand for
  double requests = 0;

  TurnSums& operator+=(const TurnSums& other);
  friend TurnSums operator-(const TurnSums& left, const TurnSums& right);

  // part / sampled * total / requests. Nothing where there are no requests, or no samples of what
  // there is, such as where a turn that is left out was the only one with samples.
  std::optional<double> per_request() const;
};

// What was counted itself, and is no share of anything.
TurnSums counted(double amount, double requests);

// Turns and their sum, for one row of one arm.
struct Series {
  std::vector<TurnSums> turns;
  TurnSums sum;

  void add(const TurnSums& turn);
};

// Standard errors of the mean over turns; nothing below two turns.
std::optional<double> error_of(const Series& arm);
std::optional<double> error_of_difference(const Series& a, const Series& b);

}  // namespace hotlap::profile

#endif  // HOTLAP_HARNESS_PROFILE_TURN_SUMS_H_
