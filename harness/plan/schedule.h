// What is drawn for a round before it starts: the order of slices in every block, and every role
// an arm could otherwise always hold. All is a function of (seed, pass, round), nothing of time.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace hotlap::plan {

// The arms of one block in the order of their slices: a seeded random permutation.
using Block = std::vector<uint32_t>;

inline constexpr uint32_t kMaxPaddingBytes = 4095;

struct ArmRoles {
  uint32_t launch_position = 0;  // 0 is launched first
  uint32_t array_position = 0;   // where the arm stands in every array of the agent and the load
  uint32_t path_slot = 0;        // which of the equal-length paths (one per arm) it runs from
  uint32_t padding_bytes = 0;    // of its environment, 0 .. kMaxPaddingBytes
};

struct SetDraw {
  std::vector<uint32_t> connect_order;  // arms in the order in which their connections are opened
  std::vector<Block> blocks;
};

struct RoundDraw {
  std::vector<ArmRoles> roles;         // by arm
  std::vector<uint32_t> launch_order;  // arms, first launched first
  std::vector<uint32_t> array_order;   // arms, as they stand in every array
  std::vector<SetDraw> sets;
};

// Passes ("timing", "counting", "pilot") draw from streams of their own.
RoundDraw draw_round(uint64_t seed, std::string_view pass, uint32_t round, uint32_t arms,
                     uint32_t sets, uint32_t blocks_per_set);

}  // namespace hotlap::plan
