// How much hotlap-known-allocations allocates in each of its rounds.
#ifndef HOTLAP_HARNESS_CAPTURE_KNOWN_ALLOCATIONS_H_
#define HOTLAP_HARNESS_CAPTURE_KNOWN_ALLOCATIONS_H_

#include <cstddef>
#include <cstdint>

namespace hotlap::capture {

inline constexpr size_t kKnownBytes = 64;  // of each allocation
inline constexpr int64_t kKnownTasks = 4;  // two processes of two threads
// malloc, calloc, malloc and realloc of it, aligned_alloc, posix_memalign, operator new.
inline constexpr int64_t kKnownAllocations = kKnownTasks * 7;
// realloc frees none by itself.
inline constexpr int64_t kKnownFrees = kKnownTasks * 6;

}  // namespace hotlap::capture

#endif  // HOTLAP_HARNESS_CAPTURE_KNOWN_ALLOCATIONS_H_
