#include "harness/plan/schedule.h"

#include <string>

#include "harness/plan/random.h"

namespace hotlap::plan {
namespace {

// One stream per pass and kind of draw, so that a longer set or another arm's role moves no other.
Random make_stream(uint64_t seed, std::string_view pass, std::string_view kind, uint64_t index) {
  std::string label(pass);
  label += '/';
  label += kind;
  return Random(seed, label, index);
}

}  // namespace

RoundDraw draw_round(uint64_t seed, std::string_view pass, uint32_t round, uint32_t arms,
                     uint32_t sets, uint32_t blocks_per_set) {
  RoundDraw draw;
  draw.launch_order = make_stream(seed, pass, "launch", round).permutation(arms);
  draw.array_order = make_stream(seed, pass, "array", round).permutation(arms);
  const std::vector<uint32_t> slots = make_stream(seed, pass, "path", round).permutation(arms);
  Random padding = make_stream(seed, pass, "padding", round);
  draw.roles.resize(arms);
  for (uint32_t i = 0; i < arms; ++i) {
    draw.roles[draw.launch_order[i]].launch_position = i;
    draw.roles[draw.array_order[i]].array_position = i;
    draw.roles[i].path_slot = slots[i];
    draw.roles[i].padding_bytes = static_cast<uint32_t>(padding.below(kMaxPaddingBytes + 1));
  }
  for (uint32_t set = 0; set < sets; ++set) {
    const uint64_t index = (static_cast<uint64_t>(round) << 32) | set;
    SetDraw& drawn = draw.sets.emplace_back();
    drawn.connect_order = make_stream(seed, pass, "connect", index).permutation(arms);
    Random order = make_stream(seed, pass, "blocks", index);
    drawn.blocks.reserve(blocks_per_set);
    for (uint32_t block = 0; block < blocks_per_set; ++block) {
      drawn.blocks.push_back(order.permutation(arms));
    }
  }
  return draw;
}

}  // namespace hotlap::plan
