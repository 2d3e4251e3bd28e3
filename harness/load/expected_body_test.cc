// What a reply's body must be, as a load judges it; and that a body of any size needs no memory.
#include "harness/load/expected_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "harness/load/generator.h"
#include "harness/load/scripted_server.h"

namespace hotlap::load {
namespace {

using ::testing::HasSubstr;

struct Loaded {
  LoadReport report;
  std::string first_failure;
  std::int64_t count(Outcome outcome) const { return report.counts[outcome]; }
};

Loaded load(const ScriptedServer& server, RequestSpec request, std::int64_t requests) {
  std::string error;
  const auto generator = Generator::start({}, 1, error);
  ArmSpec spec{server.endpoint(), {std::move(request)}};
  spec.connections = 2;
  const std::size_t arm = generator->add_arm(std::move(spec));
  EXPECT_EQ(generator->open(arm).error, "");
  LoadPlan plan;
  plan.requests = requests;
  Loaded loaded{generator->load(arm, plan, nullptr), ""};
  loaded.first_failure = generator->first_failure(arm);
  return loaded;
}

// Of "abc", as FIPS 180-2 prints it.
constexpr char kAbc[] =
    "\xba\x78\x16\xbf\x8f\x01\xcf\xea\x41\x41\x40\xde\x5d\xae\x22\x23"
    "\xb0\x03\x61\xa3\x96\x17\x7a\x9c\xb4\x10\xff\x61\xf2\x00\x15\xad";

RequestSpec of_sha256() { return {.expected_sha256 = std::string(kAbc, 32)}; }

TEST(ExpectedBody, OfOneSha256) {
  const ScriptedServer right(always(reply("abc")));
  EXPECT_EQ(load(right, of_sha256(), 50).count(Outcome::kOk), 50);
  const ScriptedServer pieces(
      always("HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n"
             "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n"));
  EXPECT_EQ(load(pieces, of_sha256(), 50).count(Outcome::kOk), 50);
  const ScriptedServer wrong(always(reply("abd")));
  const Loaded loaded = load(wrong, of_sha256(), 50);
  EXPECT_EQ(loaded.count(Outcome::kUnexpectedBody), 50) << "a wrong body is never learned";
  EXPECT_THAT(loaded.first_failure, HasSubstr("another SHA-256"));
}

TEST(ExpectedBody, TheRightOneAmongWrongOnes) {
  const ScriptedServer server([](Peer& peer) {
    for (int served = 0; peer.request(); ++served) {
      if (!peer.write(reply(served % 5 == 4 ? "abc" : "xyz"))) return;
    }
  });
  const Loaded loaded = load(server, of_sha256(), 100);
  EXPECT_NEAR(static_cast<double>(loaded.count(Outcome::kOk)), 20, 2);
  EXPECT_EQ(loaded.count(Outcome::kOk) + loaded.count(Outcome::kUnexpectedBody), 100);
}

TEST(ExpectedBody, OfOneLengthMayDiffer) {
  const ScriptedServer server([](Peer& peer) {
    for (int served = 0; peer.request(); ++served) {
      if (!peer.write(reply(std::to_string(100 + served % 900)))) return;
    }
  });
  const RequestSpec three{.body_rule = BodyRule::kAny, .expected_length = 3};
  EXPECT_EQ(load(server, three, 300).count(Outcome::kOk), 300);
  const RequestSpec four{.body_rule = BodyRule::kAny, .expected_length = 4};
  const Loaded loaded = load(server, four, 30);
  EXPECT_EQ(loaded.count(Outcome::kUnexpectedBody), 30);
  EXPECT_THAT(loaded.first_failure, HasSubstr("a body of 3 bytes where 4 were expected"));
}

TEST(ExpectedBody, NothingIsExpectedOfHead) {
  std::string error;
  const auto generator = Generator::start({}, 1, error);
  ArmSpec spec{Endpoint::parse("127.0.0.1:1", error).value_or(Endpoint{}),
               {RequestSpec{.method = "HEAD", .expected_length = 5}}};
  EXPECT_THAT(generator->open(generator->add_arm(spec)).error, HasSubstr("HEAD"));
}

std::int64_t most_resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) * 1024;
  }
  return 0;
}

// 200 MB a reply, in both framings: what is kept of one is bounded.
TEST(ExpectedBody, LargeBodiesStreamInBoundedMemory) {
  constexpr std::size_t kPieces = 200;
  const std::string piece(1'000'000, 'x');
  const ScriptedServer server([&piece](Peer& peer) {
    const auto sized = peer.request();
    bool open = sized && peer.write("HTTP/1.1 200 X\r\nContent-Length: 200000000\r\n\r\n");
    for (std::size_t i = 0; open && i < kPieces; ++i) open = peer.write(piece);
    const auto chunked = open ? peer.request() : std::nullopt;
    open = chunked && peer.write("HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (std::size_t i = 0; open && i < kPieces; ++i) {
      open = peer.write("f4240\r\n") && peer.write(piece) && peer.write("\r\n");
    }
    if (open) peer.write("0\r\n\r\n");
    peer.wait_for_end();
  });
  std::string error;
  const auto generator = Generator::start({}, 1, error);
  ArmSpec spec{server.endpoint(), {RequestSpec{.expected_length = 200'000'000}}};
  spec.connections = 1;
  spec.timeout_ns = 120'000'000'000;  // however busy the machine
  const std::size_t arm = generator->add_arm(std::move(spec));
  ASSERT_EQ(generator->open(arm).error, "");
  LoadPlan plan;
  plan.requests = 2;
  [[maybe_unused]] const std::int64_t before = most_resident_bytes();
  const LoadReport report = generator->load(arm, plan, nullptr);
  EXPECT_EQ(report.counts.ok(), 2) << generator->first_failure(arm);
  EXPECT_GT(report.bytes_received, 400'000'000);
#ifndef __SANITIZE_ADDRESS__  // which keeps what was freed
  EXPECT_LT(most_resident_bytes() - before, 20'000'000);
#endif
}

}  // namespace
}  // namespace hotlap::load
