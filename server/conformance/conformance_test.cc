// The whole server against HTTP.md: every case of the corpus to every pipeline, what it must
// answer, and byte for byte what baseline answers. Some seconds a pipeline, most of it for splits.
#include <gtest/gtest.h>

#include <memory>

#include "server/conformance/check.h"
#include "server/conformance/pipelines.h"
#include "server/conformance/server_process.h"

namespace hotlap::conformance {
namespace {

constexpr size_t kMaxSingleBytes = 400;  // longer cases are not sent byte by byte
constexpr size_t kMaxSplitBytes = 64 * 1024;
constexpr size_t kMaxPlainSplitBytes = 1024;  // longer cases are not split everywhere
constexpr size_t kMaxTlsSplitBytes = 128;
constexpr int kMaxFailures = 20;

class Reports {
 public:
  // True while failures may still be printed.
  void fail(const Case& one, const std::string& sent, const std::string& wrong) {
    if (++count_ <= kMaxFailures) {
      ADD_FAILURE() << one.name << " (HTTP.md " << one.clause << ", " << sent << "): " << wrong;
    }
  }
  ~Reports() {
    if (count_ > kMaxFailures) ADD_FAILURE() << count_ << " failures in all";
  }

 private:
  int count_ = 0;
};

std::vector<Script> whole_scripts() {
  std::vector<Script> scripts;
  for (const Case& one : corpus()) scripts.push_back(script_for(one));
  return scripts;
}

class Conformance : public testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() {
    ServerProcess baseline(server_command("baseline"));
    ASSERT_EQ(baseline.error(), "");
    auto outcomes = run_exchange(baseline.endpoint(), whole_scripts());
    for (size_t i = 0; i < outcomes.size(); ++i) {
      reference_.push_back(comparable(corpus()[i], outcomes[i]));
    }
  }
  static std::vector<std::string> reference_;  // what baseline answers to each case, sent whole
};
std::vector<std::string> Conformance::reference_;

TEST_P(Conformance, EveryCaseWhole) {
  ServerProcess server(server_command(GetParam()));
  ASSERT_EQ(server.error(), "");
  auto outcomes = run_exchange(server.endpoint(), whole_scripts());
  Reports reports;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const Case& one = corpus()[i];
    std::string got = comparable(one, outcomes[i]);
    if (std::string wrong = check_outcome(one, outcomes[i]); !wrong.empty()) {
      reports.fail(one, "whole", wrong);
    } else if (got != reference_[i]) {
      reports.fail(one, "whole", "unlike baseline, " + describe_difference(reference_[i], got));
    }
  }
  EXPECT_TRUE(server.running()) << server.stderr_text();
  EXPECT_EQ(server.sanitizer_report(), "");
}

INSTANTIATE_TEST_SUITE_P(Pipelines, Conformance, testing::ValuesIn(pipelines_to_test()),
                         [](const auto& info) { return pipeline_test_name(info.param); });

class Splits : public Conformance {};

TEST_P(Splits, EverySplitOfEveryCase) {
  ServerProcess server(server_command(GetParam()));
  ASSERT_EQ(server.error(), "");
  std::vector<Script> scripts;
  std::vector<std::pair<size_t, size_t>> sources;  // case and place of its split
  for (size_t i = 0; i < corpus().size(); ++i) {
    if (corpus()[i].bytes.size() > kMaxSplitBytes) continue;
    // A handshake for each: a minute for all of them. Byte by byte below is all cases again.
    if (server.endpoint().tls && !corpus()[i].quick) continue;
    const size_t exhaustive = server.endpoint().tls ? kMaxTlsSplitBytes : kMaxPlainSplitBytes;
    for (size_t point : split_points(corpus()[i].bytes, exhaustive)) {
      scripts.push_back(script_for(corpus()[i], std::span(&point, 1)));
      sources.emplace_back(i, point);
    }
  }
  auto outcomes = run_exchange(server.endpoint(), scripts);
  Reports reports;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    auto [index, point] = sources[i];
    std::string got = comparable(corpus()[index], outcomes[i]);
    if (got == reference_[index]) continue;
    reports.fail(corpus()[index], "split at byte " + std::to_string(point),
                 "unlike whole, " + describe_difference(reference_[index], got));
  }
  EXPECT_EQ(server.sanitizer_report(), "");
}

TEST_P(Splits, OneByteAtATime) {
  ServerProcess server(server_command(GetParam()));
  ASSERT_EQ(server.error(), "");
  std::vector<Script> scripts;
  std::vector<size_t> sources;
  for (size_t i = 0; i < corpus().size(); ++i) {
    if (corpus()[i].bytes.size() > kMaxSingleBytes) continue;
    scripts.push_back(script_of_bytes(corpus()[i]));
    sources.push_back(i);
  }
  ExchangeLimits limits;
  limits.connections = scripts.size();
  auto outcomes = run_exchange(server.endpoint(), scripts, limits);
  Reports reports;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    std::string got = comparable(corpus()[sources[i]], outcomes[i]);
    if (got == reference_[sources[i]]) continue;
    reports.fail(corpus()[sources[i]], "byte by byte",
                 "unlike whole, " + describe_difference(reference_[sources[i]], got));
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, Splits,
                         testing::Values("baseline", "fast", "original", "fast,transport=tls",
                                         "original,transport=tls_resumed"),
                         [](const auto& info) { return pipeline_test_name(info.param); });

}  // namespace
}  // namespace hotlap::conformance
