// What must not grow: memory over requests and over connections, and the CPU of idle connections.
// Under sanitizers memory is theirs, so there only the counts are served.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "server/conformance/peer.h"
#include "server/conformance/pipelines.h"
#include "server/conformance/sanitized.h"
#include "server/conformance/server_process.h"
#include "server/pipeline.h"

namespace hotlap::conformance {
namespace {

using testing::EndsWith;

constexpr int kScale = kSanitized ? 20 : 1;
constexpr long kFlatKib = 512;

bool declared_to_grow(const std::string& spec) {
  std::string error;
  auto pipeline = server::parse_pipeline(spec, error);
  return pipeline && (server::pipeline_exemptions(*pipeline) & server::kExemptGrowing);
}

// Its second small reply of a batch waits for the peer's delayed acknowledgement, some 40 ms.
bool waits_for_acknowledgements(const std::string& spec) {
  return spec.find("socket_options=nagle") != std::string::npos;
}

class Endurance : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    server_.emplace(server_command(GetParam()));
    ASSERT_EQ(server_->error(), "");
  }
  void TearDown() override {
    if (!server_) return;
    EXPECT_EQ(server_->sanitizer_report(), "");
  }
  std::optional<ServerProcess> server_;
};

// Asks in small batches, so that the reads of the server are many.
void serve(Peer& peer, int requests, int batch) {
  std::string sent;
  for (int i = 0; i < batch; ++i) sent += kPing;
  std::string one = peer.ask(kPing);
  ASSERT_THAT(one, EndsWith("pong"));
  for (int i = 0; i < requests; i += batch) {
    ASSERT_TRUE(peer.send(sent));
    ASSERT_EQ(peer.read(one.size() * static_cast<size_t>(batch)).size(),
              one.size() * static_cast<size_t>(batch));
  }
}

TEST_P(Endurance, MemoryIsFlatOver100000RequestsOfOneConnection) {
  Peer peer(server_->endpoint());
  // One request a read costs `growing` O(n) each; its fault shows after a tenth.
  const bool grows = declared_to_grow(GetParam());
  const int requests = (grows ? 10'000 : 100'000) / kScale;
  const int batch = waits_for_acknowledgements(GetParam()) ? 1 : 4;
  ASSERT_NO_FATAL_FAILURE(serve(peer, 1000, batch));
  const long before = server_->resident_kib();
  ASSERT_NO_FATAL_FAILURE(serve(peer, requests, batch));
  const long grown = server_->resident_kib() - before;
  if (kSanitized) return;
  if (grows) {
    EXPECT_GT(grown, 4 * requests / 4 / 2) << "the declared fault is gone: drop the exemption";
  } else {
    EXPECT_LT(grown, kFlatKib);
  }
}

TEST_P(Endurance, IdleConnectionsCostNoCpu) {
  std::vector<Peer> peers;
  for (int i = 0; i < 100; ++i) {
    peers.emplace_back(server_->endpoint());
    ASSERT_THAT(peers.back().ask(kPing), EndsWith("pong"));
  }
  const double before = server_->cpu_seconds();
  EXPECT_TRUE(peers.front().stays_silent(1000));
  EXPECT_LT(server_->cpu_seconds() - before, kSanitized ? 0.05 : 0.01);
}

INSTANTIATE_TEST_SUITE_P(Pipelines, Endurance, testing::ValuesIn(pipelines_to_test()),
                         [](const auto& info) { return pipeline_test_name(info.param); });

class ManyConnections : public Endurance {};

TEST_P(ManyConnections, MemoryIsFlatOver100000) {
  static constexpr std::string_view kRequest =
      "GET /ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  Script script;
  script.pieces = {kRequest};
  script.replies = 1;
  script.probe = false;
  auto open_and_close = [&](int connections) {
    const std::vector<Script> scripts(1000, script);
    for (int i = 0; i < connections; i += 1000) {
      for (const Outcome& outcome : run_exchange(server_->endpoint(), scripts)) {
        ASSERT_TRUE(outcome.closed && outcome.received.ends_with("pong")) << outcome.error;
      }
    }
  };
  ASSERT_NO_FATAL_FAILURE(open_and_close(5000));
  // A leak grows in each half. A heap that grows once, when more connections than ever before
  // happen to be open at a time, is none.
  const long before = server_->resident_kib();
  ASSERT_NO_FATAL_FAILURE(open_and_close(50'000 / kScale));
  const long middle = server_->resident_kib();
  ASSERT_NO_FATAL_FAILURE(open_and_close(50'000 / kScale));
  if (kSanitized) return;
  const long end = server_->resident_kib();
  EXPECT_LT(std::min(middle - before, end - middle), kFlatKib / 2)
      << before << ", " << middle << ", " << end << " KiB";
}

INSTANTIATE_TEST_SUITE_P(Profiles, ManyConnections, testing::Values("baseline", "fast", "original"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace hotlap::conformance
