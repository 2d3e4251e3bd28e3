// Cycles that repeat in a row, folded: a b c b c b c d is a, (b c) x 3, d. Linear in the length for
// a bounded length of cycle; whatever is folded unfolds to the same sequence.
#ifndef HOTLAP_HARNESS_AUDIT_FOLD_H_
#define HOTLAP_HARNESS_AUDIT_FOLD_H_

#include <cstddef>
#include <string>
#include <vector>

namespace hotlap::audit {

// `length` elements from `begin` on, `times` in a row.
struct Cycle {
  size_t begin = 0;
  size_t length = 1;
  size_t times = 1;
};

inline constexpr size_t kLongestCycle = 32;

std::vector<Cycle> fold(const std::vector<std::string>& sequence);

}  // namespace hotlap::audit

#endif  // HOTLAP_HARNESS_AUDIT_FOLD_H_
