// Costs and errors whose values are worked out by hand, and drift that must cancel.
#include "harness/profile/costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <list>
#include <random>

#include "harness/profile/testing.h"

namespace hotlap::profile {
namespace {

using hotlap::v1::Cost;
using ::testing::DoubleNear;

// A tally whose turns have so many samples of "libc" and of the program.
class Arms {
 public:
  struct TurnOf {
    int64_t requests, cpu_ns;
    int libraries, program;
  };

  void add(const std::vector<TurnOf>& turns) {
    std::vector<Turn> edges;
    for (size_t i = 0; i < turns.size(); ++i) {
      const auto begin_ns = static_cast<int64_t>(i) * 100;
      edges.push_back({begin_ns, begin_ns + 100, turns[i].requests, turns[i].cpu_ns});
    }
    Tally& tally = tallies_.emplace_back(edges);
    for (size_t i = 0; i < turns.size(); ++i) {
      const auto time_ns = static_cast<int64_t>(i) * 100 + 1;
      for (int n = 0; n < turns[i].libraries; ++n) {
        tally.add(sample_at(time_ns, {user_frame("f", "/lib/libc.so")}), attribution_);
      }
      for (int n = 0; n < turns[i].program; ++n) {
        tally.add(sample_at(time_ns, {user_frame("main", "/srv")}), attribution_);
      }
    }
    pointers_.push_back(&tally);
  }
  const std::vector<const Tally*>& all() const { return pointers_; }

 private:
  ObjectFiles files_;
  Attribution attribution_{files_};
  std::list<Tally> tallies_;
  std::vector<const Tally*> pointers_;
};

Cost row(const std::vector<Cost>& costs, const std::string& stage) {
  for (const Cost& cost : costs) {
    if (cost.stage() == stage) return cost;
  }
  ADD_FAILURE() << "no row " << stage;
  return Cost();
}

TEST(Costs, AnArmsShareOfItsCpuTime) {
  Arms arms;
  arms.add({{100, 4000, 1, 3}, {100, 4000, 3, 1}});
  const auto stages = stage_costs(arms.all());
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_DOUBLE_EQ(row(stages, "libraries").arms(0).ns(), 20);
  EXPECT_EQ(row(stages, "libraries").arms(0).samples(), 4u);
  // Without either turn the share is 3/4 or 1/4: 30 and 10 ns, so that
  // sqrt((2 - 1) / 2 * (10^2 + 10^2)) = 10.
  EXPECT_DOUBLE_EQ(row(stages, "libraries").arms(0).standard_error_ns(), 10);
  EXPECT_FALSE(stages[0].has_difference_ns());
  EXPECT_DOUBLE_EQ(total_cost(arms.all()).arms(0).ns(), 40);
  EXPECT_DOUBLE_EQ(total_cost(arms.all()).arms(0).standard_error_ns(), 0);
}

TEST(Costs, StagesAndFunctionsSumToTheTotal) {
  Arms arms;
  arms.add({{90, 4100, 5, 7}, {110, 3900, 2, 9}, {70, 3000, 0, 4}});
  const double total = total_cost(arms.all()).arms(0).ns();
  for (const auto& costs : {stage_costs(arms.all()), function_costs(arms.all())}) {
    double sum = 0;
    for (const Cost& cost : costs) sum += cost.arms(0).ns();
    EXPECT_THAT(sum, DoubleNear(total, 1e-9));
  }
}

TEST(Costs, TheLargestChangeIsFirstAndDriftCancels) {
  Arms arms;
  // Everything takes twice as long in the second pair of turns; B's libraries cost half of A's.
  arms.add({{100, 4000, 20, 20}, {100, 8000, 40, 40}});
  arms.add({{100, 3000, 10, 20}, {100, 6000, 20, 40}});
  const auto stages = stage_costs(arms.all());
  EXPECT_EQ(stages[0].stage(), "libraries");
  EXPECT_DOUBLE_EQ(stages[0].difference_ns(), -15);
  EXPECT_THAT(row(stages, "program").difference_ns(), DoubleNear(0, 1e-9));
  // The arms' own errors are 10 and 5; the pairs say 5 for what changed, and none for the rest.
  EXPECT_DOUBLE_EQ(stages[0].difference_standard_error_ns(), 5);
  EXPECT_THAT(row(stages, "program").difference_standard_error_ns(), DoubleNear(0, 1e-9));
}

TEST(Costs, WhatOneArmLacksIsStillARow) {
  Arms arms;
  arms.add({{100, 4000, 0, 4}, {100, 4000, 0, 4}});
  arms.add({{100, 4000, 2, 2}, {100, 4000, 2, 2}});
  const Cost cost = row(stage_costs(arms.all()), "libraries");
  EXPECT_EQ(cost.arms(0).samples(), 0u);
  EXPECT_DOUBLE_EQ(cost.difference_ns(), 20);
}

TEST(Costs, OneTurnHasNoError) {
  Arms arms;
  arms.add({{100, 4000, 1, 3}});
  EXPECT_FALSE(stage_costs(arms.all())[0].arms(0).has_standard_error_ns());
}

// The error is that of the figure: over many experiments it agrees with how far figures scatter.
TEST(Costs, TheErrorIsWhatFiguresScatterBy) {
  std::mt19937 random(20);
  std::poisson_distribution<int> libraries(6), program(14);
  double sum = 0, squares = 0, errors = 0;
  constexpr int kExperiments = 200;
  for (int i = 0; i < kExperiments; ++i) {
    Arms arms;
    std::vector<Arms::TurnOf> turns(20);
    for (auto& turn : turns) turn = {100, 4000, libraries(random), program(random)};
    arms.add(turns);
    const Cost cost = row(stage_costs(arms.all()), "libraries");
    sum += cost.arms(0).ns();
    squares += cost.arms(0).ns() * cost.arms(0).ns();
    errors += cost.arms(0).standard_error_ns();
  }
  const double mean = sum / kExperiments;
  const double scatter = std::sqrt(squares / kExperiments - mean * mean);
  EXPECT_THAT(mean, DoubleNear(12, 0.3));
  EXPECT_THAT(errors / kExperiments / scatter, DoubleNear(1, 0.15));
}

TEST(Costs, AnIntervalIsWiderThanItsErrorByStudentsQuantile) {
  EXPECT_THAT(half_of_interval(20, true, 10), ::testing::Optional(DoubleNear(20.93024, 1e-4)));
  EXPECT_THAT(half_of_interval(2, true, 1), ::testing::Optional(DoubleNear(12.7062, 1e-4)));
  EXPECT_EQ(half_of_interval(1, true, 10), std::nullopt);
  EXPECT_EQ(half_of_interval(20, false, 0), std::nullopt);
}

}  // namespace
}  // namespace hotlap::profile
