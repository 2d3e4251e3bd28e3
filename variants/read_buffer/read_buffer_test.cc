// Every read buffer is a queue of bytes under any mixture of reads and consumption; reuse keeps to
// two blocks, fresh_block to what is unread, and growing shows its declared fault.
#include "server/stages/read_buffer.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "server/stage_state.h"
#include "variants/read_buffer/blocks.h"
#include "variants/registry.h"

namespace hotlap::variants {
namespace {

using server::ReadBufferStage;

class Buffer {
 public:
  explicit Buffer(const ReadBufferStage& stage) : stage_(stage), state_(stage.info) {
    stage_.init(state_.get());
  }
  ~Buffer() { stage_.destroy(state_.get()); }

  // One read that yields at most `text`; returns how much was taken.
  std::size_t read(std::string_view text) {
    iovec segments[server::kMaxReadSegments];
    const int count = stage_.prepare(state_.get(), segments, server::kMaxReadSegments);
    std::size_t taken = 0;
    for (int i = 0; i < count; ++i) {
      const std::size_t size = std::min(segments[i].iov_len, text.size() - taken);
      std::copy_n(text.data() + taken, size, static_cast<char*>(segments[i].iov_base));
      taken += size;
    }
    stage_.commit(state_.get(), taken);
    return taken;
  }
  std::string unread(std::size_t skip = 0) const {
    std::string text;
    iovec segment;
    while (stage_.unread(state_.get(), skip + text.size(), &segment, 1) == 1) {
      text.append(static_cast<const char*>(segment.iov_base), segment.iov_len);
    }
    return text;
  }
  void consume(std::size_t bytes) { stage_.consume(state_.get(), bytes); }
  std::size_t held_bytes() const { return stage_.held_bytes(state_.get()); }

 private:
  const ReadBufferStage& stage_;
  server::StageState state_;
};

const ReadBufferStage& named(std::string_view name) {
  for (const ReadBufferStage* stage : variants_of<ReadBufferStage>()) {
    if (stage->info.name == name) return *stage;
  }
  throw std::runtime_error("no such variant");
}

TEST(ReadBuffer, IsAQueueOfBytes) {
  for (const ReadBufferStage* stage : variants_of<ReadBufferStage>()) {
    std::mt19937 random(20240607);
    Buffer buffer(*stage);
    std::string expected;
    for (int turn = 0; turn < 2000; ++turn) {
      std::string text(random() % 3 == 0 ? random() % 9000 : random() % 200, ' ');
      for (char& c : text) c = static_cast<char>('a' + random() % 26);
      if (expected.size() < 20000) expected.append(text, 0, buffer.read(text));
      const std::size_t skip = expected.empty() ? 0 : random() % expected.size();
      ASSERT_EQ(buffer.unread(skip), expected.substr(skip)) << stage->info.name;
      const std::size_t done = expected.empty() ? 0 : random() % (expected.size() + 1);
      buffer.consume(done);
      expected.erase(0, done);
      ASSERT_EQ(buffer.unread(), expected) << stage->info.name;
    }
  }
}

TEST(ReadBuffer, ConsumedBytesStayUntilTheNextRead) {
  for (const ReadBufferStage* stage : variants_of<ReadBufferStage>()) {
    server::StageState state(stage->info);
    stage->init(state.get());
    iovec space[server::kMaxReadSegments];
    for (int i = 0; i < 2; ++i) {
      stage->prepare(state.get(), space, server::kMaxReadSegments);
      std::fill_n(static_cast<char*>(space[0].iov_base), space[0].iov_len, 'x');
      stage->commit(state.get(), space[0].iov_len);
    }
    iovec first;
    ASSERT_EQ(stage->unread(state.get(), 0, &first, 1), 1);
    stage->consume(state.get(), first.iov_len);
    EXPECT_EQ(std::string(static_cast<char*>(first.iov_base), first.iov_len),
              std::string(first.iov_len, 'x'));
    stage->destroy(state.get());
  }
}

std::size_t held_after(const ReadBufferStage& stage, int requests) {
  Buffer buffer(stage);
  const std::string request(100, 'r');
  for (int i = 0; i < requests; ++i) {
    buffer.read(request);
    buffer.consume(request.size());
  }
  return buffer.held_bytes();
}

TEST(ReadBuffer, HoldsWhatItDeclares) {
  EXPECT_LE(held_after(named("reuse"), 256), 2 * kBlockBytes);
  EXPECT_LE(held_after(named("fresh_block"), 256), 2 * kBlockBytes);
  EXPECT_EQ(held_after(named("growing"), 256), 256 * kBlockBytes);
  EXPECT_TRUE(named("growing").info.exemptions & server::kExemptGrowing);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

constexpr int kRequests = 4000;
constexpr int kChunk = 50;

// Of one connection's requests, one a read: CPU of the cheapest chunk among the first and among the
// last quarter (a chunk that was disturbed costs more, never less), and minor faults in all.
struct Life {
  double early_ns;
  double late_ns;
  double faults_per_request;
};

double thread_cpu_ns() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

long minor_faults() {
  rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

Life life_of(const ReadBufferStage& stage) {
  Buffer buffer(stage);
  const std::string request(100, 'r');
  std::vector<double> chunks_ns;
  const long before = minor_faults();
  for (int i = 0; i < kRequests; i += kChunk) {
    const double begin = thread_cpu_ns();
    for (int j = 0; j < kChunk; ++j) {
      buffer.read(request);
      buffer.consume(request.size());
    }
    chunks_ns.push_back(thread_cpu_ns() - begin);
  }
  const auto quarter = static_cast<std::ptrdiff_t>(chunks_ns.size() / 4);
  return {*std::min_element(chunks_ns.begin(), chunks_ns.begin() + quarter),
          *std::min_element(chunks_ns.end() - quarter, chunks_ns.end()),
          static_cast<double>(minor_faults() - before) / kRequests};
}

// What was published of it: O(n) a request, about a page fault each, throughput that decays.
TEST(ReadBuffer, GrowingCostsMoreWithEveryRequestAndAPageFaultEach) {
  const Life growing = life_of(named("growing"));
  EXPECT_GT(growing.late_ns, 3 * growing.early_ns);
  EXPECT_GT(growing.faults_per_request, 0.5);
  EXPECT_LT(growing.faults_per_request, 2);
}

TEST(ReadBuffer, ReuseIsFlatAndFaultsOnNothing) {
  const Life reuse = life_of(named("reuse"));
  EXPECT_LT(reuse.late_ns, 2 * reuse.early_ns);
  EXPECT_LT(reuse.faults_per_request, 0.01);
}

#endif

}  // namespace
}  // namespace hotlap::variants
