#include "variants/micro_benchmark/allocation_count.h"

#include <malloc.h>

#include <cerrno>
#include <cstddef>

// glibc's own, under the names by which it offers them to those who replace the others. What they
// give is freed by free(), which stays as it is.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t align, std::size_t size);
}

namespace hotlap::variants {
namespace {

// A counter a thread, which no code but the functions below sees.
constinit thread_local std::uint64_t allocation_count = 0;

}  // namespace

std::uint64_t allocations_of_this_thread() { return allocation_count; }

extern "C" {

void* malloc(std::size_t size) noexcept {
  ++allocation_count;
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  ++allocation_count;
  return __libc_calloc(count, size);
}

void* realloc(void* memory, std::size_t size) noexcept {
  ++allocation_count;
  return __libc_realloc(memory, size);
}

void* memalign(std::size_t align, std::size_t size) noexcept {
  ++allocation_count;
  return __libc_memalign(align, size);
}

void* aligned_alloc(std::size_t align, std::size_t size) noexcept {
  ++allocation_count;
  return __libc_memalign(align, size);
}

int posix_memalign(void** memory, std::size_t align, std::size_t size) noexcept {
  ++allocation_count;
  void* const got = __libc_memalign(align, size);
  if (got == nullptr) return ENOMEM;
  *memory = got;
  return 0;
}

}  // extern "C"

}  // namespace hotlap::variants
