// Contracts that few lines prove: router, allocation, ballast.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
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

class RouterContract : public OfVariant<RouterStage> {};
class AllocationContract : public OfVariant<AllocationStage> {};
class BallastContract : public OfVariant<BallastStage> {};

constexpr std::uint32_t kGet = method_bit(Method::kGet);
constexpr std::uint32_t kPost = method_bit(Method::kPost);

TEST_P(RouterContract, FirstRegisteredParamsCatchAllAndAllow) {
  const RoutePattern patterns[] = {{kGet, "/a/*"},        {kGet, "/a/b"},         {kPost, "/a/b"},
                                   {kGet, "/u/:id"},      {kGet, "/u/me"},        {kGet, "/"},
                                   {kGet, "/u/:id/x/:n"}, {kGet | kPost, "/both"}};
  const RouterStage& stage = *GetParam();
  StageState state(stage.info);
  stage.build(state.get(), patterns, std::size(patterns));
  auto match = [&](Method method, std::string_view path) {
    return stage.match(state.get(), method, path);
  };
  EXPECT_EQ(match(Method::kGet, "/a/b").route, 1);  // an exact route beats a catch-all
  EXPECT_EQ(match(Method::kPost, "/a/b").route, 2);
  EXPECT_EQ(match(Method::kGet, "/a/c/d").route, 0);
  EXPECT_EQ(match(Method::kGet, "/u/me").route, 3);  // registered before /u/me
  const RouteMatch user = match(Method::kGet, "/u/7");
  EXPECT_EQ(user.route, 3);
  ASSERT_EQ(user.param_count, 1);
  EXPECT_EQ(user.params[0], "7");
  const RouteMatch deep = match(Method::kGet, "/u/7/x/8");
  EXPECT_EQ(deep.route, 6);
  ASSERT_EQ(deep.param_count, 2);
  EXPECT_EQ(deep.params[0], "7");
  EXPECT_EQ(deep.params[1], "8");
  EXPECT_EQ(match(Method::kGet, "/").route, 5);
  EXPECT_EQ(match(Method::kGet, "/u/").route, -1);  // a parameter is not empty
  EXPECT_EQ(match(Method::kGet, "/nowhere").route, -1);
  EXPECT_EQ(match(Method::kGet, "/nowhere").allowed, 0u);
  const RouteMatch refused = match(Method::kPut, "/both");
  EXPECT_EQ(refused.route, -1);
  EXPECT_EQ(refused.allowed, kGet | kPost);
  EXPECT_EQ(match(Method::kDelete, "/a/b").allowed, kGet | kPost);
  stage.destroy(state.get());
}

TEST_P(RouterContract, ManyRoutes) {
  std::vector<std::string> paths;
  for (int i = 0; i < 500; ++i) paths.push_back("/route/" + std::to_string(i));
  std::vector<RoutePattern> patterns;
  for (const std::string& path : paths) patterns.push_back({kGet, path});
  const RouterStage& stage = *GetParam();
  StageState state(stage.info);
  stage.build(state.get(), patterns.data(), patterns.size());
  for (size_t i = 0; i < paths.size(); ++i) {
    ASSERT_EQ(stage.match(state.get(), Method::kGet, paths[i]).route, static_cast<int>(i));
  }
  EXPECT_EQ(stage.match(state.get(), Method::kGet, "/route/500").route, -1);
  stage.destroy(state.get());
}

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
INSTANTIATE_TEST_SUITE_P(Registry, RouterContract, all_of<RouterStage>(),
                         [](const auto& info) { return variant_test_name(info.param); });
INSTANTIATE_TEST_SUITE_P(Registry, AllocationContract, all_of<AllocationStage>(),
                         [](const auto& info) { return variant_test_name(info.param); });
INSTANTIATE_TEST_SUITE_P(Registry, BallastContract, all_of<BallastStage>(),
                         [](const auto& info) { return variant_test_name(info.param); });

}  // namespace
}  // namespace hotlap::variants
