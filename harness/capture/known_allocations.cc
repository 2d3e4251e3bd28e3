// hotlap-known-allocations CALLS: asks for memory a known number of times, for the self-test of
// allocation counting. A process and its forked child, two threads each, make CALLS rounds of the
// seven ways below; what starting it all takes comes on top and is the same for every CALLS.
#include "harness/capture/known_allocations.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <thread>

namespace {

using namespace hotlap::capture;

// By way of a volatile variable, each thread's own: the compiler may leave out an allocation whose
// memory it sees unused.
void* seen(void* memory) {
  void* volatile kept = memory;
  return kept;
}

void allocate(long rounds) {
  for (long i = 0; i < rounds; ++i) {
    std::free(seen(std::malloc(kKnownBytes)));
    std::free(seen(std::calloc(1, kKnownBytes)));
    std::free(seen(std::realloc(seen(std::malloc(kKnownBytes)), kKnownBytes)));
    std::free(seen(std::aligned_alloc(kKnownBytes, kKnownBytes)));
    void* memory = nullptr;
    if (posix_memalign(&memory, kKnownBytes, kKnownBytes) == 0) std::free(seen(memory));
    ::operator delete(seen(::operator new(kKnownBytes)));
  }
}

void run_threads(long rounds) {
  std::thread other(allocate, rounds);
  allocate(rounds);
  other.join();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const long rounds = std::strtol(argv[1], nullptr, 10);
  const pid_t child = fork();
  if (child < 0) return 1;
  run_threads(rounds);
  if (child == 0) _exit(0);
  int status = 0;
  return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}
