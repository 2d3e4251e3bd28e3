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

// Not const: the compiler may leave out an allocation whose memory it sees unused.
void* volatile sink = nullptr;

void release(void* memory) {
  sink = memory;
  std::free(sink);
}

void allocate(long rounds) {
  for (long i = 0; i < rounds; ++i) {
    release(std::malloc(kKnownBytes));
    release(std::calloc(1, kKnownBytes));
    sink = std::malloc(kKnownBytes);
    release(std::realloc(sink, kKnownBytes));
    release(std::aligned_alloc(kKnownBytes, kKnownBytes));
    void* memory = nullptr;
    if (posix_memalign(&memory, kKnownBytes, kKnownBytes) == 0) release(memory);
    sink = ::operator new(kKnownBytes);
    ::operator delete(sink);
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
