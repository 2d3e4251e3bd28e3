// What a target's processes and the harness share: the counters of the library that is preloaded
// into a target for the counting pass. Plain words in a mapped file, so that no process need live
// for its counts to be read.
#ifndef HOTLAP_HARNESS_CAPTURE_ALLOCATION_TABLE_H_
#define HOTLAP_HARNESS_CAPTURE_ALLOCATION_TABLE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace hotlap::capture {

inline constexpr uint32_t kAllocationMagic = 0x686c6131;  // "hla1"; another layout, another word
inline constexpr uint32_t kAllocationSlots = 1024;
inline constexpr size_t kCacheLine = 64;

// The variable that names the file.
inline constexpr char kAllocationVariable[] = "HOTLAP_ALLOCATION_TABLE";

// A thread adds to a slot of its own as long as there are any, and shares the last one then; a
// forked child goes on in its parent's. Every addition is atomic, so that no sharing loses one.
struct alignas(kCacheLine) AllocationSlot {
  std::atomic<uint64_t> allocations;
  std::atomic<uint64_t> bytes;
  std::atomic<uint64_t> frees;
};

struct AllocationTable {
  uint32_t magic;
  std::atomic<uint32_t> slots_taken;
  std::atomic<uint32_t> programs;  // that were executed with the library in them
  std::atomic<uint32_t> bypassed;  // of these, where malloc is that of another
  AllocationSlot slots[kAllocationSlots];
};

static_assert(std::atomic<uint64_t>::is_always_lock_free);

}  // namespace hotlap::capture

#endif  // HOTLAP_HARNESS_CAPTURE_ALLOCATION_TABLE_H_
