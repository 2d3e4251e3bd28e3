// See fold.h.
#include "harness/audit/fold.h"

#include <algorithm>

namespace hotlap::audit {
namespace {

size_t repetitions(const std::vector<std::string>& sequence, size_t begin, size_t length) {
  size_t matched = 0;
  while (begin + length + matched < sequence.size() &&
         sequence[begin + matched] == sequence[begin + length + matched]) {
    ++matched;
  }
  return 1 + matched / length;
}

}  // namespace

std::vector<Cycle> fold(const std::vector<std::string>& sequence) {
  std::vector<Cycle> cycles;
  for (size_t begin = 0; begin < sequence.size();) {
    Cycle best{begin, 1, 1};
    // Of two that cover as much, the shorter cycle is the plainer.
    for (size_t length = 1; length <= kLongestCycle && begin + length < sequence.size(); ++length) {
      const size_t times = repetitions(sequence, begin, length);
      if (times > 1 && times * length > best.times * best.length) best = {begin, length, times};
    }
    cycles.push_back(best);
    begin += best.length * best.times;
  }
  return cycles;
}

}  // namespace hotlap::audit
