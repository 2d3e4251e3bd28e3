#include "harness/plan/random.h"

#include <bit>
#include <numeric>
#include <random>

namespace hotlap::plan {
namespace {

// splitmix64 (Steele, Lea & Flood 2014): a bijection that scatters close seeds far apart.
uint64_t split_mix(uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// FNV-1a of the label: which substream of the seed.
uint64_t label_hash(std::string_view label) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : label) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

}  // namespace

Random::Random(uint64_t seed, std::string_view label, uint64_t index) {
  // Each part goes through the bijection before the next is mixed in: no two names cancel.
  uint64_t mix = seed;
  mix = split_mix(mix) ^ label_hash(label);
  mix = split_mix(mix) ^ index;
  for (uint64_t& word : state_) word = split_mix(mix);
}

// xoshiro256** (Blackman & Vigna 2018).
uint64_t Random::next() {
  const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

uint64_t Random::below(uint64_t bound) {
  if (bound == 0) return 0;
  // Words below 2^64 mod bound are refused, so that each remainder is left equally often.
  const uint64_t refuse = (0 - bound) % bound;
  uint64_t word = next();
  while (word < refuse) word = next();
  return word % bound;
}

bool Random::coin() { return (next() >> 63) != 0; }

double Random::uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

std::vector<uint32_t> Random::permutation(uint32_t count) {
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  shuffle(std::span<uint32_t>(order));
  return order;
}

uint64_t fresh_seed() {
  std::random_device entropy;
  return (static_cast<uint64_t>(entropy()) << 32) ^ entropy();
}

}  // namespace hotlap::plan
