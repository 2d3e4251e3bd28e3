// A block of received bytes, and the size that all read buffers use: one page. Queues of blocks
// list and consume alike; what tells the variants apart is where a block comes from and goes to.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <memory>

namespace hotlap::variants {

inline constexpr std::size_t kBlockBytes = 4096;

struct Block {
  std::unique_ptr<char[]> bytes;  // kBlockBytes of them
  std::size_t begin = 0;          // first byte not consumed
  std::size_t end = 0;            // after the last byte received

  std::size_t size() const { return end - begin; }
  std::size_t room() const { return kBlockBytes - end; }
};

inline Block fresh_block() {
  Block block;
  block.bytes.reset(new char[kBlockBytes]);
  return block;
}

// Lists what is unread in blocks [first, last), oldest first, leaving out the first `skip` bytes.
template <class Iterator>
int list_unread(Iterator first, Iterator last, std::size_t skip, iovec* segments, int capacity) {
  int count = 0;
  for (; first != last && count < capacity; ++first) {
    const std::size_t size = first->size();
    if (skip >= size) {
      skip -= size;
      continue;
    }
    segments[count++] = {first->bytes.get() + first->begin + skip, size - skip};
    skip = 0;
  }
  return count;
}

// No block of the queue is kept when it is consumed whole.
inline constexpr std::size_t kKeepNone = static_cast<std::size_t>(-1);

// Takes `bytes` off the queue whose oldest block is blocks[first], and moves `first` past blocks
// consumed whole, their bytes left as they are. The block at index `keep` stays the front all the
// same, so that the next read can go on in it.
template <class Blocks>
void consume_blocks(Blocks& blocks, std::size_t& first, std::size_t bytes, std::size_t keep) {
  while (bytes > 0) {
    Block& front = blocks[first];
    const std::size_t size = front.size();
    if (bytes < size || first == keep) {
      front.begin += bytes;
      return;
    }
    front.begin = front.end;
    bytes -= size;
    ++first;
  }
}

}  // namespace hotlap::variants
