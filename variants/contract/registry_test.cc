// What every variant of every stage owes, by being listed.
#include "variants/registry.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <string>

#include "server/pipeline.h"

namespace hotlap::variants {
namespace {

using namespace server;

template <class Visit>
void for_each_info(Visit visit) {
  for (int stage = 0; stage < kStageCount; ++stage) {
    for (const VariantInfo* info : infos_of(static_cast<StageId>(stage))) {
      SCOPED_TRACE(std::string(stage_name(static_cast<StageId>(stage))) + "=" + info->name);
      visit(*info);
    }
  }
}

TEST(Registry, EveryStageHasAVariantAndNamesAreUnique) {
  for (int stage = 0; stage < kStageCount; ++stage) {
    std::set<std::string> names;
    for (const VariantInfo* info : infos_of(static_cast<StageId>(stage))) {
      EXPECT_TRUE(names.insert(info->name).second) << info->name;
    }
    EXPECT_FALSE(names.empty()) << stage_name(static_cast<StageId>(stage));
  }
}

TEST(Registry, VariantsSayWhatTheyDoAndCost) {
  for_each_info([](const VariantInfo& info) {
    EXPECT_GT(std::string_view(info.summary).size(), 5u);
    EXPECT_GT(std::string_view(info.costs).size(), 1u);
    EXPECT_EQ(std::string_view(info.summary).find('\n'), std::string_view::npos);
    EXPECT_TRUE(std::has_single_bit(info.state_align));
    EXPECT_EQ(info.exemptions & ~unsigned{kExemptGrowing | kExemptPselect}, 0u);
  });
}

TEST(Registry, ArgumentsAreRefusedWhereNoneIsTaken) {
  for_each_info([](const VariantInfo& info) {
    StageConfig config;
    if (info.configure == nullptr) {
      EXPECT_EQ(configure_variant(info, "", config), nullptr);
      EXPECT_NE(configure_variant(info, "5", config), nullptr);
    } else {
      EXPECT_NE(configure_variant(info, "no such argument", config), nullptr);
      EXPECT_NE(configure_variant(info, "-1", config), nullptr);
      EXPECT_NE(configure_variant(info, "99999999999999999999999", config), nullptr);
    }
  });
}

TEST(Registry, EveryVariantThatRunsHereIsWithinOneStepOfBaseline) {
  std::string error;
  auto baseline = parse_pipeline("baseline", error);
  ASSERT_TRUE(baseline) << error;
  std::string all = describe_pipeline(*baseline);
  for (const std::string& spec : one_factor_away(*baseline)) {
    auto pipeline = parse_pipeline(spec, error);
    ASSERT_TRUE(pipeline) << spec << ": " << error;
    all += "," + describe_pipeline(*pipeline);
  }
  for (int stage = 0; stage < kStageCount; ++stage) {
    for (const VariantInfo* info : infos_of(static_cast<StageId>(stage))) {
      if (unsupported_reason(*info) != nullptr) continue;
      std::string choice = std::string(stage_name(static_cast<StageId>(stage))) + "=" + info->name;
      EXPECT_NE(all.find(choice), std::string::npos) << choice;
    }
  }
}

}  // namespace
}  // namespace hotlap::variants
