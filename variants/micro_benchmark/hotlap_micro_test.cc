// hotlap-micro from outside: its JSON, what it saves, and that a variant which answers otherwise
// than its reference is an error and no figure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "harness/capture/machine_facts.h"
#include "harness/record/micro_figures.h"
#include "variants/contract/run_command.h"

namespace hotlap::variants {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kBrief[] = " --benchmark_min_time=0.0001 ";

// Whole runs in JSON; an empty object where it is none.
nlohmann::json run_to_json(const std::string& flags) {
  const Ended ended = run_command(HOTLAP_MICRO + std::string(kBrief) + flags +
                                  " --benchmark_format=json 2>/dev/null");
  auto json = nlohmann::json::parse(ended.text, nullptr, /*allow_exceptions=*/false);
  return ended.code == 0 && json.is_object() ? json : nlohmann::json::object();
}

TEST(HotlapMicro, EveryStageThatCanBeCalledAloneIsTimed) {
  const auto json = run_to_json("");
  ASSERT_TRUE(json.contains("benchmarks"));
  std::set<std::string> stages;
  bool counted = false;
  for (const auto& one : json["benchmarks"]) {
    const std::string name = one["name"];
    stages.insert(name.substr(0, name.find('/')));
    EXPECT_GT(one["cpu_time"].get<double>(), 0) << name;
    EXPECT_GE(one.value("allocations", -1.0), 0) << name;
    counted = counted || one.contains("instructions");
    // Counted or absent: no instruction at all is no count.
    EXPECT_GT(one.value("instructions", 1.0), 0) << name;
  }
  EXPECT_EQ(stages,
            (std::set<std::string>{"request_line", "header_map", "router", "address", "date",
                                   "response", "ballast", "read_buffer", "allocation"}));
  EXPECT_NE(counted, json["context"].contains("not_counted")) << "absent without a reason";
}

TEST(HotlapMicro, AllocationsAreThoseThatTheVariantsState) {
  std::map<std::string, double> allocations;
  const auto json = run_to_json("--benchmark_filter='curl$|hello$|browser$'");
  ASSERT_TRUE(json.contains("benchmarks"));
  for (const auto& one : json["benchmarks"]) allocations[one["name"]] = one["allocations"];
  for (const char* none :
       {"request_line/scalar/browser", "request_line/avx2/browser", "request_line/re2/browser",
        "header_map/pod/curl", "header_map/string_slots/curl", "header_map/flat_hash_map/browser",
        "router/hash/hello", "router/trie/hello", "response/writev/hello",
        "allocation/arena/browser"}) {
    if (allocations.contains(none)) {
      EXPECT_EQ(allocations[none], 0) << none;
    }
  }
  EXPECT_EQ(allocations["response/concat/hello"], 1);
  EXPECT_EQ(allocations["allocation/heap/curl"], 7);  // three fields and the head of the reply
  EXPECT_GE(allocations["header_map/unordered_map/curl"], 3);
  EXPECT_GE(allocations["router/adaptor/hello"], 8);
  EXPECT_GE(allocations["read_buffer/fresh_block/curl"], 1);
  EXPECT_GE(allocations["read_buffer/growing/curl"], 2);  // a block and the longer list
  EXPECT_LT(allocations["read_buffer/reuse/curl"], 0.1);
}

TEST(HotlapMicro, SavedFiguresAreThoseOfTheRun) {
  std::string directory = testing::TempDir() + "hotlap-micro-XXXXXX";
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  const Ended ended = run_command("XDG_STATE_HOME=" + directory + " " HOTLAP_MICRO + kBrief +
                                  "--benchmark_filter='request_line/(scalar|regex)' "
                                  "--benchmark_repetitions=3 --save 2>&1");
  ASSERT_EQ(ended.code, 0) << ended.text;
  const auto figures = record::read_micro_figures(directory + "/hotlap/micro.json",
                                                  capture::read_machine_facts().cpu_model);
  std::filesystem::remove_all(directory);
  ASSERT_TRUE(figures.ok()) << figures.status();
  ASSERT_EQ(figures->figures.size(), 8u);  // once each, whatever the repetitions
  const auto* const scalar = figures->typical("request_line", "scalar");
  const auto* const regex = figures->typical("request_line", "regex");
  ASSERT_NE(scalar, nullptr);
  ASSERT_NE(regex, nullptr);
  EXPECT_EQ(scalar->input, "browser");
  EXPECT_EQ(scalar->allocations, 0);
  EXPECT_GT(regex->allocations, 0);
  // Nanoseconds, not seconds or milliseconds.
  EXPECT_GT(scalar->cpu_ns, 1);
  EXPECT_LT(scalar->cpu_ns, 100'000);
}

TEST(HotlapMicro, ADifferingVariantIsAnErrorAndIsNotSaved) {
  std::string directory = testing::TempDir() + "hotlap-micro-XXXXXX";
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  const Ended ended =
      run_command("XDG_STATE_HOME=" + directory + " " HOTLAP_MICRO_PLANTED + kBrief +
                  "--benchmark_filter='request_line/(scalar|wrong|unsupported)' --save 2>&1");
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.text, AllOf(HasSubstr("request_line/wrong/browser: answers otherwise"),
                                Not(HasSubstr("request_line/unsupported"))));
  EXPECT_FALSE(std::filesystem::exists(directory + "/hotlap/micro.json"));
  std::filesystem::remove_all(directory);
}

// As the second turns the coarse clock is behind the fine one for a tick: no date is wrong then.
TEST(HotlapMicro, DatesAreRightAsTheSecondTurns) {
  constexpr long kEdgeNs = 30'000'000;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const time_t second = now.tv_sec + (now.tv_nsec < 1'000'000'000 - kEdgeNs ? 1 : 2);
  const timespec before{second - 1, 1'000'000'000 - kEdgeNs};
  // tidy: allow sleep: the passing of time is the subject
  while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &before, nullptr) != 0) {
  }
  do {
    const Ended ended =
        run_command(HOTLAP_MICRO + std::string(kBrief) + "--benchmark_filter=date 2>&1");
    EXPECT_EQ(ended.code, 0) << ended.text;
    clock_gettime(CLOCK_REALTIME, &now);
  } while (now.tv_sec < second || now.tv_nsec < kEdgeNs);
}

TEST(HotlapMicro, WrongFlagsAndAPlaceThatCannotBeWrittenAreErrors) {
  EXPECT_EQ(run_command(HOTLAP_MICRO " --sav 2>&1").code, 3);
  const Ended ended = run_command("XDG_STATE_HOME=/proc " HOTLAP_MICRO + std::string(kBrief) +
                                  "--benchmark_filter=date --save 2>&1");
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.text, HasSubstr("/proc/hotlap/micro.json"));
}

}  // namespace
}  // namespace hotlap::variants
