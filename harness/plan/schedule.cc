#include "harness/plan/schedule.h"

#include <string>

#include "harness/plan/random.h"

namespace hotlap::plan {
namespace {

// One stream per pass and kind of draw, so that a longer set or another arm's role moves no other.
Random Stream(uint64_t seed, std::string_view pass, std::string_view kind, uint64_t index) {
  std::string label(pass);
  label += '/';
  label += kind;
  return Random(seed, label, index);
}

}  // namespace

RoundDraw DrawRound(uint64_t seed, std::string_view pass, uint32_t round, uint32_t arms,
                    uint32_t sets, uint32_t blocks_per_set) {
  RoundDraw draw;
  draw.launch_order = Stream(seed, pass, "launch", round).Permutation(arms);
  draw.array_order = Stream(seed, pass, "array", round).Permutation(arms);
  const std::vector<uint32_t> slots = Stream(seed, pass, "path", round).Permutation(arms);
  Random padding = Stream(seed, pass, "padding", round);
  draw.roles.resize(arms);
  for (uint32_t i = 0; i < arms; ++i) {
    draw.roles[draw.launch_order[i]].launch_position = i;
    draw.roles[draw.array_order[i]].array_position = i;
    draw.roles[i].path_slot = slots[i];
    draw.roles[i].padding_bytes = static_cast<uint32_t>(padding.Below(kMaxPaddingBytes + 1));
  }
  for (uint32_t set = 0; set < sets; ++set) {
    const uint64_t index = (static_cast<uint64_t>(round) << 32) | set;
    SetDraw& drawn = draw.sets.emplace_back();
    drawn.connect_order = Stream(seed, pass, "connect", index).Permutation(arms);
    Random order = Stream(seed, pass, "blocks", index);
    drawn.blocks.reserve(blocks_per_set);
    for (uint32_t block = 0; block < blocks_per_set; ++block) {
      drawn.blocks.push_back(order.Permutation(arms));
    }
  }
  return draw;
}

}  // namespace hotlap::plan
