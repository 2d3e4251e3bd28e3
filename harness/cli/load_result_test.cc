// What a reader is warned of, and that the table fits a terminal and names what it shows.
#include "harness/cli/load_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "harness/cli/load_report.h"

namespace hotlap::cli {
namespace {

using hotlap::v1::LoadResponse;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

void add(hotlap::v1::Latency& latency, int64_t ns, int64_t count) {
  auto* bucket = latency.add_buckets();
  bucket->set_low_ns(ns);
  bucket->set_high_ns(ns);
  bucket->set_count(count);
  latency.set_min_ns(ns);
  latency.set_max_ns(ns);
  latency.set_sum_ns(ns * count);
}

LoadResponse closed() {
  LoadResponse line;
  line.mutable_effective()->set_connections(16);
  line.mutable_effective()->set_threads(1);
  line.set_connections(16);
  line.set_elapsed_s(10);
  line.set_sending_s(10);
  line.set_little_ratio(0.99);
  line.mutable_counts()->set_started(100'000);
  line.mutable_counts()->set_ok(100'000);
  add(*line.mutable_latency(), 1'600'000, 100'000);
  line.set_busiest_thread_share(0.4);
  return line;
}

LoadResponse open() {
  LoadResponse line = closed();
  line.clear_little_ratio();
  line.mutable_effective_open()->set_rate_per_s(10'000);
  add(*line.mutable_service(), 1'500'000, 100'000);
  line.mutable_pacing()->set_lateness_p99_ns(60'000);
  return line;
}

TEST(LoadResult, NothingSpeaksAgainstASoundLoad) {
  EXPECT_THAT(warnings(LoadResult(closed())), IsEmpty());
  EXPECT_THAT(warnings(LoadResult(open())), IsEmpty());
  EXPECT_EQ(LoadResult(open()).sent_share(), 1.0);
  EXPECT_EQ(LoadResult(closed()).sent_share(), std::nullopt);
}

// oha#577.
TEST(LoadResult, ARateNotMetIsAWarning) {
  LoadResponse line = open();
  line.mutable_counts()->set_never_sent(1000);
  line.mutable_counts()->set_ok(99'000);
  EXPECT_THAT(warnings(LoadResult(line)), IsEmpty()) << "99 % was sent";
  line.mutable_counts()->set_never_sent(1001);
  EXPECT_THAT(warnings(LoadResult(line)), ElementsAre(HasSubstr("of the asked rate was sent")));
}

TEST(LoadResult, TheGeneratorAdmitsThatItWasTheBottleneck) {
  LoadResponse line = open();
  line.mutable_pacing()->set_lateness_p99_ns(1'000'001);
  EXPECT_THAT(warnings(LoadResult(line)), ElementsAre(HasSubstr("generator itself was late")));
  line = closed();
  line.set_busiest_thread_share(0.97);
  EXPECT_THAT(warnings(LoadResult(line)), ElementsAre(HasSubstr("97 %")));
  line = open();
  line.mutable_pacing()->set_gaps(10'000);
  line.mutable_pacing()->set_gap_distance(0.04);
  EXPECT_THAT(warnings(LoadResult(line)), IsEmpty());
  line.mutable_pacing()->set_gap_distance(0.06);
  EXPECT_THAT(warnings(LoadResult(line)), ElementsAre(HasSubstr("Poisson")));
  line.mutable_pacing()->set_gaps(100);
  EXPECT_THAT(warnings(LoadResult(line)), IsEmpty()) << "so few gaps may be that far off by luck";
}

// wrk#438.
TEST(LoadResult, LittlesLawIsChecked) {
  LoadResponse line = closed();
  for (const double ratio : {0.94, 1.06}) {
    line.set_little_ratio(ratio);
    EXPECT_THAT(warnings(LoadResult(line)), ElementsAre(HasSubstr("Little's law")));
  }
}

TEST(LoadResult, ClassesSumToWhatWasStarted) {
  hotlap::v1::ErrorCounts counts;
  counts.set_ok(1);
  counts.set_unexpected_status(2);
  counts.set_unexpected_body(4);
  counts.set_connect(8);
  counts.set_reset(16);
  counts.set_timeout(32);
  counts.set_protocol(64);
  counts.set_in_flight(128);
  counts.set_never_sent(256);
  int64_t sum = 0;
  for (const auto& [name, count] : classes(counts)) sum += count;
  EXPECT_EQ(sum, 511);
  EXPECT_EQ(failures(counts), 126) << "neither the end nor a full queue is a failure";
}

TEST(LoadText, NamesBothTimesWithinEightyColumns) {
  LoadResponse line = open();
  add(*line.mutable_failures(), 5'000'000'000, 3);
  line.mutable_counts()->set_timeout(3);
  line.mutable_counts()->set_timeout_connect(1);
  line.mutable_counts()->set_timeout_whole(2);
  line.mutable_tls()->set_handshakes(1002);
  line.mutable_tls()->set_resumed(986);
  line.mutable_tls()->set_protocol("TLSv1.3");
  line.mutable_tls()->set_cipher("TLS_AES_256_GCM_SHA384");
  line.set_address("127.0.0.1:8080");
  add(*line.mutable_connecting(), 700'000, 1002);
  line.mutable_counts()->set_started(1'000'003);
  line.mutable_counts()->set_never_sent(900'000);
  line.mutable_counts()->set_late(77);
  line.set_busiest_thread_share(1);
  line.mutable_pacing()->set_lateness_p99_ns(10'000'000);
  LoadFlags flags;
  flags.urls = {"https://localhost:8080/hello", "https://127.0.0.1:8080/b"};
  flags.distribution = true;
  const std::string text = load_text(flags, LoadResult(line));
  for (const char* words :
       {"open loop", "response time", "service time", "until a failure", "from the planned start",
        "1,000,003 planned: 99,926 on time, 77 late, 900,000 never sent",
        "3 timeout (1 connecting, 2 rest of", "connecting", "localhost:8080/hello (127", "8080/b\n",
        "TLSv1.3, TLS_AES_256_GCM_SHA384, 1,002 handshakes, 986 resumed", "asked 10,000/s",
        "warning"}) {
    EXPECT_THAT(text, HasSubstr(words));
  }
  std::istringstream lines(text);
  for (std::string one; std::getline(lines, one);) EXPECT_LE(one.size(), 80U) << one;
  const std::string of_closed = load_text(flags, LoadResult(closed()));
  EXPECT_THAT(of_closed, HasSubstr("closed loop: 1 thread, 16 connections"));
  EXPECT_THAT(of_closed, Not(HasSubstr("service")));
}

TEST(LoadText, MissingConnectionsAreInTheResult) {
  LoadResponse line = closed();
  line.set_connections(100);
  line.mutable_effective()->set_connections(1000);
  line.set_open_error("only 100 of 1000");
  EXPECT_THAT(load_text({}, LoadResult(line)), HasSubstr("100 of 1,000 connections"));
  EXPECT_THAT(load_json({}, LoadResult(line)), HasSubstr("only 100 of 1000"));
}

}  // namespace
}  // namespace hotlap::cli
