// Every router gives the answer of a reference that is too plain to be wrong, over random tables of
// routes, and over some by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "server/stage_state.h"
#include "variants/contract/inputs.h"
#include "variants/registry.h"

namespace hotlap::variants {
namespace {

using namespace server;

class BuiltRouter {
 public:
  BuiltRouter(const RouterStage& stage, std::span<const RoutePattern> patterns)
      : stage_(stage), state_(stage.info) {
    stage_.build(state_.get(), patterns.data(), patterns.size());
  }
  ~BuiltRouter() { stage_.destroy(state_.get()); }
  BuiltRouter(const BuiltRouter&) = delete;
  RouteMatch match(Method method, std::string_view path) const {
    return stage_.match(state_.get(), method, path);
  }

 private:
  const RouterStage& stage_;
  StageState state_;
};

class RouterContract : public testing::TestWithParam<const RouterStage*> {
 protected:
  void SetUp() override {
    if (const char* why = unsupported_reason(GetParam()->info)) GTEST_SKIP() << why;
  }
};

constexpr std::uint32_t kGet = method_bit(Method::kGet);
constexpr std::uint32_t kPost = method_bit(Method::kPost);

TEST_P(RouterContract, FirstRegisteredParamsCatchAllAndAllow) {
  const RoutePattern patterns[] = {{kGet, "/a/*"},        {kGet, "/a/b"},         {kPost, "/a/b"},
                                   {kGet, "/u/:id"},      {kGet, "/u/me"},        {kGet, "/"},
                                   {kGet, "/u/:id/x/:n"}, {kGet | kPost, "/both"}};
  const BuiltRouter router(*GetParam(), patterns);
  auto match = [&](Method method, std::string_view path) { return router.match(method, path); };
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
}

TEST_P(RouterContract, ATrailingSlashCountsAndWhatIsNoPathMatchesNothing) {
  const RoutePattern patterns[] = {{kGet, "/a"}, {kGet, "/b/"}, {kGet, "/f/*"}, {kGet, "/p/:x/"}};
  const BuiltRouter router(*GetParam(), patterns);
  EXPECT_EQ(router.match(Method::kGet, "/a").route, 0);
  EXPECT_EQ(router.match(Method::kGet, "/a/").allowed, 0u);
  EXPECT_EQ(router.match(Method::kGet, "/b/").route, 1);
  EXPECT_EQ(router.match(Method::kGet, "/b").allowed, 0u);
  EXPECT_EQ(router.match(Method::kGet, "/f").allowed, 0u);
  const RouteMatch nothing = router.match(Method::kGet, "/f/");
  EXPECT_EQ(nothing.route, 2);
  ASSERT_EQ(nothing.param_count, 1);
  EXPECT_EQ(nothing.params[0], "");
  EXPECT_EQ(router.match(Method::kGet, "/p/7/").route, 3);
  EXPECT_EQ(router.match(Method::kGet, "/p/7").allowed, 0u);
  for (const char* no_path : {"", "*", "host:443", "a", "//", "///"}) {
    EXPECT_EQ(router.match(Method::kGet, no_path).route, -1) << no_path;
    EXPECT_EQ(router.match(Method::kGet, no_path).allowed, 0u) << no_path;
  }
}

TEST_P(RouterContract, ManyRoutes) {
  std::vector<std::string> paths;
  for (int i = 0; i < 500; ++i) paths.push_back("/route/" + std::to_string(i));
  std::vector<RoutePattern> patterns;
  for (const std::string& path : paths) patterns.push_back({kGet, path});
  const BuiltRouter router(*GetParam(), patterns);
  for (size_t i = 0; i < paths.size(); ++i) {
    ASSERT_EQ(router.match(Method::kGet, paths[i]).route, static_cast<int>(i));
  }
  EXPECT_EQ(router.match(Method::kGet, "/route/500").route, -1);
}

// The reference: split both at slashes, compare piece by piece.
using Pieces = std::vector<std::string>;

Pieces pieces_of(std::string_view path) {
  Pieces pieces;
  for (const char c : path) {
    if (c == '/') pieces.emplace_back();
    if (c != '/') pieces.back() += c;
  }
  return pieces;
}

bool fits(const Pieces& pattern, const Pieces& path, Pieces& params) {
  params.clear();
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (i >= path.size()) return false;
    if (pattern[i] == "*" && i + 1 == pattern.size()) {
      std::string rest = path[i];
      for (size_t j = i + 1; j < path.size(); ++j) rest += "/" + path[j];
      params.push_back(rest);
      return true;
    }
    if (pattern[i].starts_with(':')) {
      if (path[i].empty()) return false;
      params.push_back(path[i]);
    } else if (pattern[i] != path[i]) {
      return false;
    }
  }
  return pattern.size() == path.size();
}

struct Expected {
  int route = -1;
  std::uint32_t allowed = 0;
  Pieces params;
};

Expected expected_match(std::span<const RoutePattern> patterns, Method method,
                        std::string_view path) {
  Expected expected;
  for (const bool catch_alls : {false, true}) {
    for (size_t i = 0; i < patterns.size(); ++i) {
      if (patterns[i].pattern.ends_with("/*") != catch_alls) continue;
      Pieces params;
      if (!fits(pieces_of(patterns[i].pattern), pieces_of(path), params)) continue;
      expected.allowed |= patterns[i].methods;
      if (expected.route >= 0 || (patterns[i].methods & method_bit(method)) == 0) continue;
      expected.route = static_cast<int>(i);
      expected.params = params;
    }
  }
  return expected;
}

// Few words and little depth, so that literals, parameters and catch-alls meet.
class RandomRoutes {
 public:
  explicit RandomRoutes(unsigned seed) : random_(seed) {}

  std::string path() { return text({"a", "b", "ab", "c", "", "*", ":x"}, false); }
  std::string pattern() { return text({"a", "b", "ab", "", ":x", ":y", "*"}, true); }
  std::uint32_t methods() { return 1 + number(7); }  // of GET, HEAD and POST
  Method method() { return static_cast<Method>(number(4)); }
  unsigned number(unsigned below) { return static_cast<unsigned>(random_() % below); }

 private:
  std::string text(const std::vector<std::string>& words, bool may_end_in_star) {
    std::string text;
    for (unsigned segments = 1 + number(6); segments > 0; --segments) {
      text += "/" + words[number(static_cast<unsigned>(words.size()))];
    }
    if (may_end_in_star && number(6) == 0) text += "/*";
    return text;
  }

  std::mt19937 random_;
};

TEST_P(RouterContract, AgreesWithThePlainReferenceOverRandomTables) {
  constexpr unsigned kSeed = 20261130;
  RandomRoutes random(kSeed);
  int matched = 0;
  int refused = 0;
  for (int table = 0; table < 300; ++table) {
    std::vector<std::string> texts;
    std::vector<RoutePattern> patterns;
    for (unsigned i = random.number(25); i > 0; --i) texts.push_back(random.pattern());
    for (const std::string& text : texts) patterns.push_back({random.methods(), text});
    const BuiltRouter router(*GetParam(), patterns);
    for (int request = 0; request < 60; ++request) {
      const std::string path = random.path();
      const Method method = random.method();
      const Expected want = expected_match(patterns, method, path);
      const RouteMatch got = router.match(method, path);
      ASSERT_EQ(got.route, want.route) << path << " in table " << table;
      ASSERT_EQ(got.allowed, want.allowed) << path << " in table " << table;
      const size_t params = std::min<size_t>(want.params.size(), kMaxRouteParams);
      ASSERT_EQ(static_cast<size_t>(got.param_count), params) << path << " in table " << table;
      for (size_t i = 0; i < params; ++i) {
        ASSERT_EQ(got.params[i], want.params[i]) << path << " in table " << table;
        ASSERT_GE(got.params[i].data(), path.data()) << "a view of something else than the path";
        ASSERT_LE(got.params[i].data() + got.params[i].size(), path.data() + path.size());
      }
      (got.route >= 0 ? matched : refused) += got.allowed != 0 ? 1 : 0;
    }
  }
  // The tables are of no use unless both answers come up.
  EXPECT_GT(matched, 1000);
  EXPECT_GT(refused, 100);
}

INSTANTIATE_TEST_SUITE_P(Registry, RouterContract,
                         testing::ValuesIn(variants_of<RouterStage>().begin(),
                                           variants_of<RouterStage>().end()),
                         [](const auto& info) { return variant_test_name(info.param); });

}  // namespace
}  // namespace hotlap::variants
