// The open loop's pool: room for a request on a connection, first freed, first used, so that every
// connection takes its turn. As many slots as connections times the pipelining depth.
#ifndef HOTLAP_HARNESS_LOAD_FREE_SLOTS_H_
#define HOTLAP_HARNESS_LOAD_FREE_SLOTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hotlap::load {

struct Connection;

struct FreeSlot {
  Connection* connection = nullptr;
  std::int64_t since_ns = 0;
};

class FreeSlots {
 public:
  // Empties it, and makes room for so many.
  void reset(std::size_t capacity) {
    slots_.assign(capacity, FreeSlot{});
    first_ = 0;
    size_ = 0;
  }
  bool empty() const { return size_ == 0; }
  const FreeSlot& front() const { return slots_[first_]; }
  void push(FreeSlot slot) {
    std::size_t at = first_ + size_++;
    if (at >= slots_.size()) at -= slots_.size();
    slots_[at] = slot;
  }
  FreeSlot pop() {
    const FreeSlot slot = slots_[first_];
    if (++first_ == slots_.size()) first_ = 0;
    --size_;
    return slot;
  }

 private:
  std::vector<FreeSlot> slots_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_FREE_SLOTS_H_
