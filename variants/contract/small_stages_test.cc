// Contracts that few lines prove: allocation, ballast.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "server/stage_state.h"
#include "variants/contract/inputs.h"
#include "variants/registry.h"

namespace hotlap::variants {
namespace {

using namespace server;

template <class Stage>
class OfVariant : public testing::TestWithParam<const Stage*> {
 protected:
  void SetUp() override {
    if (const char* why = unsupported_reason(this->GetParam()->info)) GTEST_SKIP() << why;
  }
};

class AllocationContract : public OfVariant<AllocationStage> {};
class BallastContract : public OfVariant<BallastStage> {};

TEST_P(AllocationContract, PiecesAreAlignedApartAndReusable) {
  const AllocationStage& stage = *GetParam();
  StageState state(stage.info);
  Arena arena;
  arena.stage = &stage;
  arena.state = state.get();
  stage.init(arena.state, arena);
  for (int request = 0; request < 100; ++request) {
    std::vector<std::pair<char*, size_t>> pieces;
    for (size_t size : {1, 7, 64, 3, 4000, 1, 5000, 100000, 16}) {
      for (size_t align : {1, 2, 8, 16, 64}) {
        auto* piece = static_cast<char*>(arena.allocate(size, align));
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(piece) % align, 0u);
        std::memset(piece, static_cast<int>(pieces.size()), size);
        pieces.emplace_back(piece, size);
      }
    }
    for (size_t i = 0; i < pieces.size(); ++i) {
      ASSERT_EQ(pieces[i].first[0], static_cast<char>(i));
      ASSERT_EQ(pieces[i].first[pieces[i].second - 1], static_cast<char>(i));
    }
    EXPECT_EQ(arena.copy("text"), "text");
    EXPECT_EQ(arena.copy(""), "");
    stage.reset(arena.state, arena);
  }
  stage.destroy(arena.state, arena);
}

TEST_P(BallastContract, SpendsWithAnyArgumentThatItTakes) {
  const BallastStage& stage = *GetParam();
  for (const char* argument : {"", "0", "1", "800"}) {
    StageConfig config;
    if (configure_variant(stage.info, argument, config) == nullptr) stage.spend(config);
  }
}

template <class Stage>
auto all_of() {
  return testing::ValuesIn(variants_of<Stage>().begin(), variants_of<Stage>().end());
}
INSTANTIATE_TEST_SUITE_P(Registry, AllocationContract, all_of<AllocationStage>(),
                         [](const auto& info) { return variant_test_name(info.param); });
INSTANTIATE_TEST_SUITE_P(Registry, BallastContract, all_of<BallastStage>(),
                         [](const auto& info) { return variant_test_name(info.param); });

}  // namespace
}  // namespace hotlap::variants
