// The library hotlap-allocations.so: preloaded into a target for the counting pass, it counts what
// is asked of malloc and its relatives (operator new ends there too) and hands the call on to the
// allocator that the target would have had. Costs two or three uncontended atomic additions an
// allocation, some 10 ns. Nothing but libc is used, and nothing here allocates.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "harness/capture/allocation_table.h"

namespace hotlap::capture {
namespace {

// What the dynamic linker itself asks for while it looks the real functions up.
constexpr size_t kEarlyBytes = 8192;
constexpr size_t kEarlyAlign = 16;

struct Allocator {
  void* (*malloc)(size_t);
  void* (*calloc)(size_t, size_t);
  void* (*realloc)(void*, size_t);
  void (*free)(void*);
  void* (*memalign)(size_t, size_t);
  void* (*aligned_alloc)(size_t, size_t);
  int (*posix_memalign)(void**, size_t, size_t);
  void* (*valloc)(size_t);
  void* (*pvalloc)(size_t);
};

constinit Allocator next{};
constinit std::atomic<bool> resolved{false};
constinit std::atomic<AllocationTable*> table{nullptr};
alignas(kEarlyAlign) constinit char early[kEarlyBytes] = {};
constinit std::atomic<size_t> early_taken{0};

#define HOTLAP_OWN_TLS thread_local __attribute__((tls_model("initial-exec")))
constinit HOTLAP_OWN_TLS AllocationSlot* slot = nullptr;
constinit HOTLAP_OWN_TLS bool resolving = false;
constinit HOTLAP_OWN_TLS bool came_by = false;  // a call of malloc, since it was last set to false

template <typename Function>
void look_up(Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// Whether the real functions are known; false only while this very thread looks them up. Threads
// that come here together all find the same.
bool ready() {
  if (resolved.load(std::memory_order_acquire)) return true;
  if (resolving) return false;
  resolving = true;
  look_up(next.malloc, "malloc");
  look_up(next.calloc, "calloc");
  look_up(next.realloc, "realloc");
  look_up(next.free, "free");
  look_up(next.memalign, "memalign");
  look_up(next.aligned_alloc, "aligned_alloc");
  look_up(next.posix_memalign, "posix_memalign");
  look_up(next.valloc, "valloc");
  look_up(next.pvalloc, "pvalloc");
  resolving = false;
  resolved.store(true, std::memory_order_release);
  return true;
}

void* take_early(size_t size) {
  const size_t whole = (size + kEarlyAlign - 1) / kEarlyAlign * kEarlyAlign;
  const size_t at = early_taken.fetch_add(whole, std::memory_order_relaxed);
  if (whole < size || at > kEarlyBytes || whole > kEarlyBytes - at) {
    errno = ENOMEM;
    return nullptr;
  }
  return early + at;
}

bool is_early(const void* memory) {
  const auto address = reinterpret_cast<uintptr_t>(memory);
  const auto begin = reinterpret_cast<uintptr_t>(early);
  return address >= begin && address < begin + kEarlyBytes;
}

AllocationSlot* own_slot() {
  AllocationTable* shared = table.load(std::memory_order_relaxed);
  if (slot != nullptr || shared == nullptr) return slot;
  const uint32_t index = shared->slots_taken.fetch_add(1, std::memory_order_relaxed);
  slot = &shared->slots[index < kAllocationSlots ? index : kAllocationSlots - 1];
  return slot;
}

void* counted(void* memory, size_t bytes) {
  AllocationSlot* own = memory == nullptr ? nullptr : own_slot();
  if (own == nullptr) return memory;
  own->allocations.fetch_add(1, std::memory_order_relaxed);
  own->bytes.fetch_add(bytes, std::memory_order_relaxed);
  return memory;
}

void count_free() {
  if (AllocationSlot* own = own_slot()) own->frees.fetch_add(1, std::memory_order_relaxed);
}

// Whether the program's own malloc comes before this library's, so that nothing comes by here. It
// is called to find out: in a program that is not position independent its address tells nothing.
bool is_bypassed() {
  void* (*first)(size_t) = nullptr;
  void (*release)(void*) = nullptr;
  first = reinterpret_cast<decltype(first)>(dlsym(RTLD_DEFAULT, "malloc"));
  release = reinterpret_cast<decltype(release)>(dlsym(RTLD_DEFAULT, "free"));
  if (first == nullptr || release == nullptr) return false;
  came_by = false;
  release(first(1));
  return !came_by;
}

__attribute__((constructor)) void attach() {
  const char* path = std::getenv(kAllocationVariable);
  if (path == nullptr) return;
  const int before = errno;
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd >= 0) {
    void* memory =
        mmap(nullptr, sizeof(AllocationTable), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    auto* shared = static_cast<AllocationTable*>(memory);
    if (memory != MAP_FAILED && shared->magic == kAllocationMagic) {
      shared->programs.fetch_add(1, std::memory_order_relaxed);
      if (is_bypassed()) shared->bypassed.fetch_add(1, std::memory_order_relaxed);
      table.store(shared, std::memory_order_relaxed);
    }
  }
  errno = before;
}

}  // namespace
}  // namespace hotlap::capture

namespace own = hotlap::capture;

extern "C" {

__attribute__((visibility("default"))) void* malloc(size_t size) {
  own::came_by = true;
  return own::ready() ? own::counted(own::next.malloc(size), size) : own::take_early(size);
}

__attribute__((visibility("default"))) void* calloc(size_t count, size_t size) {
  // Early memory is zero, and what is asked for there does not overflow.
  if (!own::ready()) return own::take_early(count * size);
  return own::counted(own::next.calloc(count, size), count * size);
}

__attribute__((visibility("default"))) void free(void* memory) {
  if (memory == nullptr || own::is_early(memory) || !own::ready()) return;
  own::count_free();
  own::next.free(memory);
}

__attribute__((visibility("default"))) void* realloc(void* memory, size_t size) {
  if (own::is_early(memory)) {
    void* moved = malloc(size);
    const size_t left =
        static_cast<size_t>(own::early + own::kEarlyBytes - static_cast<char*>(memory));
    if (moved != nullptr) std::memcpy(moved, memory, size < left ? size : left);
    return moved;
  }
  if (!own::ready()) return own::take_early(size);
  if (memory != nullptr && size == 0) own::count_free();
  return own::counted(own::next.realloc(memory, size), size);
}

__attribute__((visibility("default"))) void* memalign(size_t align, size_t size) {
  return own::ready() ? own::counted(own::next.memalign(align, size), size) : nullptr;
}

__attribute__((visibility("default"))) void* aligned_alloc(size_t align, size_t size) {
  return own::ready() ? own::counted(own::next.aligned_alloc(align, size), size) : nullptr;
}

__attribute__((visibility("default"))) int posix_memalign(void** memory, size_t align,
                                                          size_t size) {
  if (!own::ready()) return ENOMEM;
  const int error = own::next.posix_memalign(memory, align, size);
  if (error == 0) own::counted(*memory, size);
  return error;
}

__attribute__((visibility("default"))) void* valloc(size_t size) {
  return own::ready() ? own::counted(own::next.valloc(size), size) : nullptr;
}

__attribute__((visibility("default"))) void* pvalloc(size_t size) {
  return own::ready() ? own::counted(own::next.pvalloc(size), size) : nullptr;
}

}  // extern "C"
