// Streamed files, whoever moves their bytes: sizes at the edges of buffers, slow readers, clients
// and files that go away half-way. Every body variant under every way to dispatch and to wait.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>

#include "server/conformance/peer.h"
#include "server/conformance/pipelines.h"
#include "server/conformance/sanitized.h"
#include "server/conformance/server_process.h"
#include "server/pipeline.h"
#include "variants/registry.h"

namespace hotlap::conformance {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr size_t kScratch = 64 * 1024;
constexpr size_t kLarge = 50 * 1024 * 1024;

// Bytes in which no part is like another, so that one lost or repeated shows.
std::string bytes_of(size_t size) {
  std::mt19937_64 random(size);
  std::string bytes(size + 8, '\0');
  for (size_t at = 0; at < size; at += 8) {
    const std::uint64_t word = random();
    std::memcpy(bytes.data() + at, &word, sizeof word);
  }
  bytes.resize(size);
  return bytes;
}

std::string ask_for(const std::string& name, const std::string& method = "GET",
                    const std::string& more = "") {
  return method + " /file/" + name + " HTTP/1.1\r\nHost: a\r\n" + more + "\r\n";
}

class Files : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "hotlap-files-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    server_.emplace(server_command(GetParam(), {"--files", directory_.string()}));
    ASSERT_EQ(server_->error(), "");
  }
  void TearDown() override {
    if (server_) {
      EXPECT_TRUE(server_->running()) << server_->stderr_text();
      EXPECT_EQ(server_->sanitizer_report(), "");
    }
    std::filesystem::remove_all(directory_);
  }
  Peer connect(int receive_buffer_bytes = 0) {
    return Peer(server_->endpoint(), receive_buffer_bytes);
  }
  std::string write_file(const std::string& name, size_t size) {
    std::string bytes = bytes_of(size);
    std::ofstream(directory_ / name, std::ios::binary) << bytes;
    return bytes;
  }
  size_t open_descriptors() {
    size_t count = 0;
    const std::string path = "/proc/" + std::to_string(server_->pid()) + "/fd";
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path)) ++count;
    return count;
  }
  // Reads to the end of a head.
  static std::string read_head(Peer& peer) {
    std::string head;
    while (!head.ends_with("\r\n\r\n")) {
      const std::string next = peer.read(1);
      if (next.empty()) break;
      head += next;
    }
    return head;
  }

  std::filesystem::path directory_;
  std::optional<ServerProcess> server_;
};

TEST_P(Files, SizesAtTheEdgesOnOneConnection) {
  Peer peer = connect();
  for (size_t size : {size_t{0}, size_t{1}, kScratch - 1, kScratch, kScratch + 1, 3 * kScratch}) {
    SCOPED_TRACE(size);
    const std::string bytes = write_file("f", size);
    ASSERT_TRUE(peer.send(ask_for("f")));
    const std::string head = read_head(peer);
    EXPECT_THAT(head, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(head, HasSubstr("Content-Length: " + std::to_string(size) + "\r\n"));
    EXPECT_THAT(head, HasSubstr("Content-Type: application/octet-stream\r\n"));
    ASSERT_TRUE(peer.read(size) == bytes) << "another body than the file's";
    EXPECT_THAT(peer.ask(kPing), EndsWith("pong"));
  }
}

TEST_P(Files, HeadAnswersTheLengthAlone) {
  write_file("f", 100'000);
  Peer peer = connect();
  ASSERT_TRUE(peer.send(ask_for("f", "HEAD")));
  EXPECT_THAT(read_head(peer), HasSubstr("Content-Length: 100000\r\n"));
  EXPECT_THAT(peer.ask(kPing), StartsWith("HTTP/1.1 200"));
}

TEST_P(Files, PipelinedFilesArriveInOrderAndTheLastCloses) {
  const std::string first = write_file("a", 70'000), second = write_file("b", 10);
  Peer peer = connect();
  ASSERT_TRUE(
      peer.send(ask_for("a") + ask_for("b") + ask_for("a", "GET", "Connection: close\r\n")));
  for (const std::string* bytes : {&first, &second, &first}) {
    read_head(peer);
    ASSERT_TRUE(peer.read(bytes->size()) == *bytes);
  }
  EXPECT_EQ(peer.read_to_end(), "");
  EXPECT_TRUE(peer.ended() && !peer.was_reset());
}

TEST_P(Files, FiftyMebibytesToASlowReaderAtFlatMemory) {
  const std::string bytes = write_file("large", kLarge);
  write_file("warm", kScratch);
  Peer other = connect();
  ASSERT_THAT(other.ask(ask_for("warm")), StartsWith("HTTP/1.1 200"));
  const long before = server_->resident_kib();
  Peer slow = connect(16 * 1024);
  ASSERT_TRUE(slow.send(ask_for("large")));
  read_head(slow);
  size_t at = 0;
  while (at < kLarge) {
    const size_t step = std::min<size_t>(5 * 1024 * 1024, kLarge - at);
    ASSERT_TRUE(slow.read(step) == std::string_view(bytes).substr(at, step)) << "at byte " << at;
    at += step;
    ASSERT_THAT(other.ask(kPing), EndsWith("pong"));
    if (!kSanitized) {
      EXPECT_LT(server_->resident_kib() - before, 1024);
    }
  }
  EXPECT_THAT(slow.ask(kPing), EndsWith("pong"));
}

TEST_P(Files, ClientsThatVanishHarmNobodyAndLeakNothing) {
  write_file("large", 8 * 1024 * 1024);
  { ASSERT_THAT(connect().ask(kPing), EndsWith("pong")); }
  Peer witness = connect();
  ASSERT_THAT(witness.ask(kPing), EndsWith("pong"));
  const size_t before = open_descriptors();
  for (int i = 0; i < 20; ++i) {
    Peer peer = connect(4096);
    ASSERT_TRUE(peer.send(ask_for("large")));
    ASSERT_EQ(peer.read(1000).size(), 1000u);
    if (i % 2 == 0) peer.reset();
  }
  // Ends are events of the server's own: each answer lets it see to some more.
  for (int i = 0; i < 2000 && open_descriptors() > before; ++i) {
    ASSERT_THAT(witness.ask(kPing), EndsWith("pong"));
  }
  EXPECT_LE(open_descriptors(), before);
}

TEST_P(Files, AFileCutShortEndsTheConnection) {
  const std::string bytes = write_file("shrinks", 16 * 1024 * 1024);
  Peer peer = connect(4096);
  ASSERT_TRUE(peer.send(ask_for("shrinks")));
  const std::string head = read_head(peer);
  EXPECT_THAT(head, HasSubstr("Content-Length: " + std::to_string(bytes.size()) + "\r\n"));
  ASSERT_EQ(peer.read(1000).size(), 1000u);
  ASSERT_EQ(truncate((directory_ / "shrinks").c_str(), 5000), 0);
  // What had been taken in before arrives, the announced length never does, and nothing follows.
  const std::string rest = peer.read_to_end();
  EXPECT_TRUE(peer.ended());
  EXPECT_LT(rest.size() + 1000, bytes.size());
  EXPECT_TRUE(std::string_view(bytes).substr(1000).starts_with(rest.substr(0, 4000)));
  EXPECT_THAT(rest.substr(rest.size() - std::min<size_t>(rest.size(), 200)),
              Not(HasSubstr("HTTP/1.1")));
  EXPECT_THAT(connect().ask(kPing), EndsWith("pong"));
}

std::vector<std::string> file_pipelines() {
  std::vector<std::string> specs;
  for (const server::BodyStage* body : variants::variants_of<server::BodyStage>()) {
    for (const char* base :
         {"baseline", "fast,dispatch=thread_pool:2", "baseline,transport=tls",
          "fast,dispatch=thread_pool:2,transport=tls_resumed", "baseline,readiness=epoll_edge",
          "baseline,readiness=epoll_edge,transport=tls", "baseline,dispatch=io_uring"}) {
      std::string spec = std::string(base) + ",body=" + body->info.name, error;
      if (server::parse_pipeline(spec, error)) specs.push_back(std::move(spec));
    }
  }
  return specs;
}
INSTANTIATE_TEST_SUITE_P(Pipelines, Files, testing::ValuesIn(file_pipelines()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](unsigned char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

TEST(FilesChoice, SendfileIsRefusedWhereBytesAreNotThoseOfTheFile) {
  std::string error;
  auto pipeline = server::parse_pipeline("body=sendfile", error);
  ASSERT_TRUE(pipeline) << error;
  server::TransportStage wrapped = *pipeline->transport.variant;
  wrapped.direct = false;
  pipeline->transport.variant = &wrapped;
  EXPECT_FALSE(server::check_conflicts(*pipeline, error));
  EXPECT_THAT(error, HasSubstr("use body=copy"));
}

}  // namespace
}  // namespace hotlap::conformance
