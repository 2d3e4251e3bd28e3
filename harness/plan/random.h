// The generator of every draw: xoshiro256** seeded through splitmix64, and our own ways to turn
// words into draws, so that one seed gives the same run with any compiler and standard library.
// A substream is named by (seed, label, index): adding a draw to one never shifts another.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace hotlap::plan {

class Random {
 public:
  explicit Random(uint64_t seed, std::string_view label = {}, uint64_t index = 0);

  uint64_t next();                 // 64 fair bits
  uint64_t below(uint64_t bound);  // uniform in [0, bound), unbiased; 0 where bound is 0
  bool coin();                     // fair
  double uniform();                // uniform in [0, 1), 53 bits

  // Fisher-Yates: every order is equally likely.
  template <typename T>
  void shuffle(std::span<T> items) {
    for (size_t left = items.size(); left > 1; --left) {
      std::swap(items[left - 1], items[below(left)]);
    }
  }

  // A random order of 0 .. count - 1.
  std::vector<uint32_t> permutation(uint32_t count);

 private:
  std::array<uint64_t, 4> state_;
};

// A seed for a run that was given none, from the system's entropy. The one draw that differs.
uint64_t fresh_seed();

}  // namespace hotlap::plan
