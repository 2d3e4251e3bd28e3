// read_buffer and allocation: memory as a connection and a request use it.
#include <algorithm>
#include <cstring>
#include <vector>

#include "server/stage_state.h"
#include "variants/contract/owned_arena.h"
#include "variants/micro_benchmark/inputs.h"
#include "variants/micro_benchmark/measure.h"
#include "variants/micro_benchmark/stages.h"

namespace hotlap::variants {
namespace {

using namespace server;

// Requests of a connection, from its first to its last: `growing` costs more with each.
constexpr std::int64_t kRequestsOfAConnection = 256;

struct ReadInput {
  const char* name;
  std::size_t request_bytes;
  std::size_t pipelined;  // requests that arrive at once
};

class OwnedBuffer {
 public:
  explicit OwnedBuffer(const ReadBufferStage& stage) : stage_(stage), state_(stage.info) {
    stage_.init(state_.get());
  }
  ~OwnedBuffer() { stage_.destroy(state_.get()); }
  OwnedBuffer(const OwnedBuffer&) = delete;
  OwnedBuffer& operator=(const OwnedBuffer&) = delete;

  // As from a socket, in as many reads as the space given needs. False where it was refused.
  bool receive(std::string_view bytes) {
    while (!bytes.empty()) {
      iovec space[kMaxReadSegments];
      const int count = stage_.prepare(state_.get(), space, kMaxReadSegments);
      std::size_t taken = 0;
      for (int i = 0; i < count; ++i) {
        const std::size_t size = std::min(space[i].iov_len, bytes.size() - taken);
        std::memcpy(space[i].iov_base, bytes.data() + taken, size);
        taken += size;
      }
      if (taken == 0) return false;
      stage_.commit(state_.get(), taken);
      bytes.remove_prefix(taken);
    }
    return true;
  }
  // The bytes of one request, looked at and consumed.
  void take(std::size_t bytes) {
    iovec segments[kMaxReadSegments];
    benchmark::DoNotOptimize(stage_.unread(state_.get(), 0, segments, kMaxReadSegments));
    benchmark::DoNotOptimize(segments);
    stage_.consume(state_.get(), bytes);
  }
  std::string unread() const {
    std::string text;
    iovec segments[kMaxReadSegments];
    while (const int count = stage_.unread(state_.get(), text.size(), segments, kMaxReadSegments)) {
      for (int i = 0; i < count; ++i) {
        text.append(static_cast<const char*>(segments[i].iov_base), segments[i].iov_len);
      }
    }
    return text;
  }

 private:
  const ReadBufferStage& stage_;
  StageState state_;
};

// Distinct bytes, so that a lost or doubled one shows.
std::string arriving(const ReadInput& input) {
  std::string text(input.request_bytes * input.pipelined, ' ');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('!' + i % 89);
  return text;
}

void run_read_buffer(benchmark::State& state, const LoopCounters& counters,
                     const ReadBufferStage& stage, const ReadInput& input) {
  const std::string text = arriving(input);
  OwnedBuffer buffer(stage);
  // What every variant must give is known without a reference: the bytes that came.
  if (!buffer.receive(text) || buffer.unread() != text) return refuse_as_different(state);
  measure_lives(state, counters, kRequestsOfAConnection, [&] {
    OwnedBuffer connection(stage);
    for (std::int64_t left = kRequestsOfAConnection; left > 0;) {
      connection.receive(text);
      for (std::size_t i = 0; i < input.pipelined; ++i, --left)
        connection.take(input.request_bytes);
    }
  });
}

struct AllocationInput {
  const char* name;
  std::vector<std::size_t> sizes;
};

// What a request takes: names and values of its fields, as maps keep them, and room for the head of
// its reply.
std::vector<AllocationInput> allocation_inputs() {
  constexpr std::size_t kReplyHeadBytes = 256;
  std::vector<AllocationInput> inputs;
  for (const TextInput& block : header_block_inputs()) {
    AllocationInput input{block.name, {}};
    std::string_view rest = block.text;
    while (!rest.empty()) {
      const std::size_t colon = rest.find(": ");
      const std::size_t end = rest.find("\r\n");
      input.sizes.push_back(colon);
      input.sizes.push_back(end - colon - 2);
      rest.remove_prefix(end + 2);
    }
    input.sizes.push_back(kReplyHeadBytes);
    inputs.push_back(std::move(input));
  }
  return inputs;
}

// Every piece is written whole; one that overlaps another shows.
bool gives_distinct_memory(Arena& arena, const std::vector<std::size_t>& sizes) {
  std::vector<std::string_view> pieces;
  for (const std::size_t size : sizes) {
    auto* const piece = static_cast<char*>(arena.allocate(size, 1));
    std::memset(piece, static_cast<int>('!' + pieces.size() % 89), size);
    pieces.emplace_back(piece, size);
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i] != std::string(sizes[i], static_cast<char>('!' + i % 89))) return false;
  }
  return true;
}

void run_allocation(benchmark::State& state, const LoopCounters& counters,
                    const AllocationStage& stage, const AllocationInput& input) {
  OwnedArena arena(stage);
  if (!gives_distinct_memory(arena.get(), input.sizes)) return refuse_as_different(state);
  arena.reset();
  measure_calls(state, counters, [&] {
    for (const std::size_t size : input.sizes) {
      benchmark::DoNotOptimize(arena.get().allocate(size, 1));
    }
    arena.reset();
  });
}

}  // namespace

void add_memory_stages(const LoopCounters& counters) {
  const auto bytes_of = [](std::size_t index) {
    return request_line_inputs()[index].text.size() + header_block_inputs()[index].text.size() + 4;
  };
  const ReadInput reads[] = {{"browser", bytes_of(0), 1},
                             {"curl", bytes_of(1), 1},
                             {"curl_pipelined_16", bytes_of(1), 16}};
  add_stage<ReadBufferStage>("read_buffer", reads, counters, run_read_buffer);
  add_stage<AllocationStage>("allocation", allocation_inputs(), counters, run_allocation);
}

}  // namespace hotlap::variants
