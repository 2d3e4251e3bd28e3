// Placement on machines of every shape.
#include "harness/targets/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotlap::targets {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const CpuTopology kOne{{3}, {{3}}};
const CpuTopology kTwo{{0, 1}, {{0}, {1}}};
const CpuTopology kTwoSiblings{{0, 1}, {{0, 1}, {0, 1}}};
const CpuTopology kFourInTwoCores{{0, 1, 2, 3}, {{0, 2}, {1, 3}, {0, 2}, {1, 3}}};

TEST(PlacementTest, TwoCpusAreOneEach) {
  const auto placement = place({}, kTwo);
  ASSERT_TRUE(placement.ok()) << placement.status();
  EXPECT_THAT(placement->server_cpus, ElementsAre(0));
  EXPECT_THAT(placement->load_cpus, ElementsAre(1));
  EXPECT_FALSE(placement->shared);
  EXPECT_THAT(placement->notes, IsEmpty());
}

TEST(PlacementTest, SiblingsStayTogether) {
  const auto placement = place({}, kFourInTwoCores);
  ASSERT_TRUE(placement.ok()) << placement.status();
  EXPECT_THAT(placement->server_cpus, ElementsAre(0, 2));
  EXPECT_THAT(placement->load_cpus, ElementsAre(1, 3));
  EXPECT_THAT(placement->notes, IsEmpty());
}

TEST(PlacementTest, OneCoreOfTwoSiblingsIsSplitWithANote) {
  const auto placement = place({}, kTwoSiblings);
  ASSERT_TRUE(placement.ok()) << placement.status();
  EXPECT_THAT(placement->server_cpus, ElementsAre(0));
  EXPECT_THAT(placement->load_cpus, ElementsAre(1));
  EXPECT_THAT(placement->notes, ElementsAre(HasSubstr("siblings")));
}

TEST(PlacementTest, TheOtherSideAvoidsSiblingsOfThoseAskedFor) {
  const auto placement = place({.server_cpus = {0}, .load_cpus = {}}, kFourInTwoCores);
  ASSERT_TRUE(placement.ok()) << placement.status();
  EXPECT_THAT(placement->load_cpus, ElementsAre(1, 3));
}

TEST(PlacementTest, OneCpuNeedsPermissionToShare) {
  const auto refused = place({}, kOne);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("only CPU 3"));
  const auto shared = place({.server_cpus = {}, .load_cpus = {}, .share = true}, kOne);
  ASSERT_TRUE(shared.ok()) << shared.status();
  EXPECT_THAT(shared->server_cpus, ElementsAre(3));
  EXPECT_THAT(shared->load_cpus, ElementsAre(3));
  EXPECT_TRUE(shared->shared);
}

TEST(PlacementTest, OverlapAndForeignCpusAreRefused) {
  EXPECT_FALSE(place({.server_cpus = {0, 1}, .load_cpus = {1}}, kTwo).ok());
  EXPECT_TRUE(place({.server_cpus = {0, 1}, .load_cpus = {1}, .share = true}, kTwo).ok());
  const auto foreign = place({.server_cpus = {7}, .load_cpus = {}}, kTwo);
  EXPECT_THAT(std::string(foreign.status().message()), HasSubstr("CPU 7"));
}

TEST(PlacementTest, AllAskedForOneSideLeavesNothing) {
  EXPECT_FALSE(place({.server_cpus = {0, 1}, .load_cpus = {}}, kTwo).ok());
}

TEST(PlacementTest, ThisMachineHasATopology) {
  const auto topology = read_cpu_topology();
  ASSERT_TRUE(topology.ok()) << topology.status();
  EXPECT_FALSE(topology->allowed.empty());
}

TEST(CpuListTest, RoundTrips) {
  EXPECT_THAT(*parse_cpu_list("5,0-2"), ElementsAre(0, 1, 2, 5));
  EXPECT_EQ(format_cpu_list({0, 1, 2, 5}), "0-2,5");
  for (const char* text : {"", "a", "1-", "3-1", "1-2-3", "-1"}) {
    EXPECT_FALSE(parse_cpu_list(text).ok()) << text;
  }
}

}  // namespace
}  // namespace hotlap::targets
