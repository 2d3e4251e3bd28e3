// Each link multiplies and folds the product into itself. The empty asm tells the compiler that x
// is used and changed at every step, so that it can neither unroll into independent work nor
// guess the result.
#include "server/ballast_chain.h"

namespace hotlap::server {

std::uint64_t ballast_chain(std::uint64_t steps, std::uint64_t seed) {
  std::uint64_t x = seed;
  for (std::uint64_t step = 0; step < steps; ++step) {
    x *= 0xd1342543de82ef95;
    x ^= x >> 29;
    asm volatile("" : "+r"(x));
  }
  return x;
}

}  // namespace hotlap::server
