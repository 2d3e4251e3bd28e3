// SplitMix64 (Steele, Lea, Flood 2014), for draws that are a function of a seed and a number: no
// state, so that any thread can make any draw again. The constants are the generator.
#ifndef HOTLAP_HARNESS_LOAD_SPLITMIX_H_
#define HOTLAP_HARNESS_LOAD_SPLITMIX_H_

#include <cstdint>

namespace hotlap::load {

inline constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;

inline std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_SPLITMIX_H_
