// Every read_buffer variant against a plain string as the model: any order of reads and takes, at
// every split; and whether its memory stays flat, or grows where that is declared.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "server/stage_state.h"
#include "variants/contract/inputs.h"
#include "variants/registry.h"

namespace hotlap::variants {
namespace {

using namespace server;

class Buffer {
 public:
  explicit Buffer(const ReadBufferStage& stage) : stage_(stage), state_(stage.info) {
    stage_.init(state_.get());
  }
  ~Buffer() { stage_.destroy(state_.get()); }

  // One read that brings at most `bytes`; returns how many it could take.
  size_t receive(std::string_view bytes) {
    iovec segments[kMaxReadSegments];
    const int count = stage_.prepare(state_.get(), segments, kMaxReadSegments);
    EXPECT_GE(count, 1);
    EXPECT_LE(count, kMaxReadSegments);
    size_t taken = 0;
    for (int i = 0; i < count && taken < bytes.size(); ++i) {
      EXPECT_GT(segments[i].iov_len, 0u);
      const size_t part = std::min(segments[i].iov_len, bytes.size() - taken);
      std::copy_n(bytes.data() + taken, part, static_cast<char*>(segments[i].iov_base));
      taken += part;
    }
    stage_.commit(state_.get(), taken);
    return taken;
  }
  std::string unread(size_t skip, int capacity) const {
    iovec segments[kMaxReadSegments];
    const int count = stage_.unread(state_.get(), skip, segments, capacity);
    EXPECT_LE(count, capacity);
    std::string out;
    for (int i = 0; i < count; ++i) {
      EXPECT_GT(segments[i].iov_len, 0u);
      out.append(static_cast<char*>(segments[i].iov_base), segments[i].iov_len);
    }
    return out;
  }
  // Everything unread, asked for as often as need be.
  std::string all_unread() const {
    std::string out;
    for (;;) {
      std::string part = unread(out.size(), kMaxReadSegments);
      if (part.empty()) return out;
      out += part;
    }
  }
  void consume(size_t bytes) { stage_.consume(state_.get(), bytes); }
  size_t held_bytes() const { return stage_.held_bytes(state_.get()); }

 private:
  const ReadBufferStage& stage_;
  StageState state_;
};

class ReadBufferContract : public testing::TestWithParam<const ReadBufferStage*> {
 protected:
  void SetUp() override {
    if (const char* why = unsupported_reason(GetParam()->info)) GTEST_SKIP() << why;
  }
};

std::string counted_bytes(size_t length, unsigned seed) {
  std::string out(length, '\0');
  for (size_t i = 0; i < length; ++i) out[i] = static_cast<char>('a' + (i * 7 + seed) % 26);
  return out;
}

TEST_P(ReadBufferContract, EverySplitOfThreeRequestsComesOutWhole) {
  const std::string wire = counted_bytes(90, 1);
  for (size_t first = 0; first <= wire.size(); ++first) {
    for (size_t second = first; second <= wire.size(); second += 3) {
      Buffer buffer(*GetParam());
      buffer.receive(std::string_view(wire).substr(0, first));
      buffer.receive(std::string_view(wire).substr(first, second - first));
      buffer.receive(std::string_view(wire).substr(second));
      ASSERT_EQ(buffer.all_unread(), wire) << first << ", " << second;
      for (size_t request = 0; request < 3; ++request) {
        ASSERT_EQ(buffer.all_unread(), wire.substr(30 * request));
        buffer.consume(30);
      }
      ASSERT_EQ(buffer.all_unread(), "");
    }
  }
}

TEST_P(ReadBufferContract, FollowsTheModelThroughAnyOrderOfReadsAndTakes) {
  std::mt19937 random(20240229);
  auto below = [&](size_t limit) { return random() % (limit + 1); };
  for (int session = 0; session < 40; ++session) {
    Buffer buffer(*GetParam());
    std::string model;
    const size_t largest = session % 2 == 0 ? 200 : 9000;
    for (int step = 0; step < 300; ++step) {
      const std::string bytes = counted_bytes(below(largest), random());
      model += bytes.substr(0, buffer.receive(bytes));
      ASSERT_EQ(buffer.all_unread(), model) << session << ", " << step;
      const size_t skip = below(model.size());
      const int capacity = static_cast<int>(1 + below(kMaxReadSegments - 1));
      const std::string part = buffer.unread(skip, capacity);
      ASSERT_EQ(part, model.substr(skip, part.size()));
      ASSERT_EQ(part.empty(), skip == model.size());
      const size_t taken = model.size() > 30000 ? model.size() : below(model.size());
      buffer.consume(taken);
      model.erase(0, taken);
      ASSERT_EQ(buffer.all_unread(), model) << session << ", " << step;
    }
  }
}

TEST_P(ReadBufferContract, PointersStayGoodUntilTheNextRead) {
  const ReadBufferStage& stage = *GetParam();
  Buffer buffer(stage);
  const std::string wire = counted_bytes(6000, 5);
  for (size_t sent = 0; sent < wire.size();) {
    sent += buffer.receive(std::string_view(wire).substr(sent));
  }
  const std::string before = buffer.unread(0, kMaxReadSegments);
  buffer.consume(5000);
  EXPECT_EQ(buffer.all_unread(), wire.substr(5000));
  buffer.consume(1000);
  EXPECT_EQ(before, wire.substr(0, before.size()));
}

TEST_P(ReadBufferContract, ReadsThatBringNothingChangeNothing) {
  Buffer buffer(*GetParam());
  buffer.receive("abc");
  for (int i = 0; i < 100; ++i) buffer.receive("");
  EXPECT_EQ(buffer.all_unread(), "abc");
  buffer.receive("def");
  EXPECT_EQ(buffer.all_unread(), "abcdef");
}

TEST_P(ReadBufferContract, MemoryIsFlatOverRequestsOrDeclaredToGrow) {
  Buffer buffer(*GetParam());
  const std::string request = counted_bytes(100, 3);
  auto serve = [&](int requests) {
    for (int i = 0; i < requests; ++i) {
      ASSERT_EQ(buffer.receive(request), request.size());
      buffer.consume(request.size());
    }
  };
  serve(256);
  const size_t early = buffer.held_bytes();
  serve(1000);
  const size_t late = buffer.held_bytes();
  if (GetParam()->info.exemptions & kExemptGrowing) {
    EXPECT_GT(late, early) << "the declared fault is gone: drop the exemption";
  } else {
    EXPECT_EQ(late, early);
    EXPECT_LE(late, 2 * 4096u);
  }
}

TEST_P(ReadBufferContract, PipelinedLeftOversDoNotPileUp) {
  if (GetParam()->info.exemptions & kExemptGrowing) GTEST_SKIP() << "declared to grow";
  Buffer buffer(*GetParam());
  std::string model;
  size_t most = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string bytes = counted_bytes(130, static_cast<unsigned>(i));
    model += bytes.substr(0, buffer.receive(bytes));
    const size_t taken = model.size() - 50;  // a part of the next request is always there
    buffer.consume(taken);
    model.erase(0, taken);
    ASSERT_EQ(buffer.all_unread(), model);
    most = std::max(most, buffer.held_bytes());
  }
  EXPECT_LE(most, 4 * 4096u);
}

INSTANTIATE_TEST_SUITE_P(Registry, ReadBufferContract,
                         testing::ValuesIn(variants_of<ReadBufferStage>().begin(),
                                           variants_of<ReadBufferStage>().end()),
                         [](const auto& info) { return variant_test_name(info.param); });

}  // namespace
}  // namespace hotlap::variants
