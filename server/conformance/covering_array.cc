// A tuple is a set of factors and a level of each; all tuples of one set of factors are numbered in
// mixed radix, so that what is still to be covered is a bit a tuple.
#include "server/conformance/covering_array.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

namespace hotlap::conformance {
namespace {

constexpr int kCandidates = 20;    // of which the row that covers most is taken
constexpr int kCompletions = 200;  // drawn before a tuple counts as impossible
constexpr int kFree = -1;          // a factor whose level is not chosen yet

struct FactorSet {
  std::vector<std::size_t> factors;
  std::vector<char> open;  // by tuple: still to be covered
};

class Search {
 public:
  Search(const std::vector<int>& levels, int strength, const std::function<bool(const Row&)>& valid,
         std::uint64_t seed)
      : levels_(levels), valid_(valid), random_(seed) {
    std::vector<std::size_t> chosen;
    add_sets(chosen, 0, static_cast<std::size_t>(strength));
  }

  CoveringArray run() {
    for (FactorSet& set : sets_) {
      for (std::size_t tuple = 0; tuple < set.open.size(); ++tuple) {
        if (set.open[tuple]) cover(set, tuple);
      }
    }
    return std::move(out_);
  }

 private:
  void add_sets(std::vector<std::size_t>& chosen, std::size_t from, std::size_t strength) {
    if (chosen.size() == strength) {
      std::size_t tuples = 1;
      for (const std::size_t factor : chosen) tuples *= static_cast<std::size_t>(levels_[factor]);
      sets_.push_back({chosen, std::vector<char>(tuples, 1)});
      return;
    }
    for (std::size_t factor = from; factor < levels_.size(); ++factor) {
      chosen.push_back(factor);
      add_sets(chosen, factor + 1, strength);
      chosen.pop_back();
    }
  }

  // The number of the tuple that a row holds; -1 while one of its factors is free.
  std::ptrdiff_t tuple_of(const FactorSet& set, const Row& row) const {
    std::ptrdiff_t number = 0;
    for (const std::size_t factor : set.factors) {
      if (row[factor] == kFree) return -1;
      number = number * levels_[factor] + row[factor];
    }
    return number;
  }

  void put_tuple(const FactorSet& set, std::size_t tuple, Row& row) const {
    for (std::size_t i = set.factors.size(); i-- > 0;) {
      const auto levels = static_cast<std::size_t>(levels_[set.factors[i]]);
      row[set.factors[i]] = static_cast<int>(tuple % levels);
      tuple /= levels;
    }
  }

  // Open tuples that the row holds.
  std::size_t gain(const Row& row) const {
    std::size_t count = 0;
    for (const FactorSet& set : sets_) {
      const std::ptrdiff_t tuple = tuple_of(set, row);
      if (tuple >= 0 && set.open[static_cast<std::size_t>(tuple)]) ++count;
    }
    return count;
  }

  int drawn_level(std::size_t factor) {
    return static_cast<int>(random_() % static_cast<std::uint64_t>(levels_[factor]));
  }

  // Chooses the level of each free factor, in a drawn order, that covers most. Ties are drawn.
  // Returns the order.
  std::vector<std::size_t> fill(Row& row) {
    std::vector<std::size_t> order;
    for (std::size_t factor = 0; factor < row.size(); ++factor) {
      if (row[factor] == kFree) order.push_back(factor);
    }
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_() % i]);
    for (const std::size_t factor : order) {
      const int first = drawn_level(factor);
      std::size_t best_gain = 0;
      int best = first;
      for (int i = 0; i < levels_[factor]; ++i) {
        row[factor] = (first + i) % levels_[factor];
        const std::size_t here = gain(row);
        if (here > best_gain) {
          best_gain = here;
          best = row[factor];
        }
      }
      row[factor] = best;
    }
    return order;
  }

  // Takes back what was chosen last, level by level, until the row can be. False when it never can.
  bool repair(Row& row, const std::vector<std::size_t>& order) const {
    for (auto factor = order.rbegin(); !valid_(row); ++factor) {
      if (factor == order.rend()) return false;
      row[*factor] = 0;
    }
    return true;
  }

  // A valid row with the tuple, or an empty one.
  Row witness(const FactorSet& set, std::size_t tuple) {
    Row row(levels_.size(), 0);
    put_tuple(set, tuple, row);
    for (int i = 0; i < kCompletions && !valid_(row); ++i) {
      for (std::size_t factor = 0; factor < row.size(); ++factor) row[factor] = drawn_level(factor);
      put_tuple(set, tuple, row);
    }
    return valid_(row) ? row : Row();
  }

  void cover(FactorSet& set, std::size_t tuple) {
    Row best;
    std::size_t best_gain = 0;
    for (int i = 0; i < kCandidates; ++i) {
      Row row(levels_.size(), kFree);
      put_tuple(set, tuple, row);
      if (!repair(row, fill(row))) continue;
      const std::size_t here = gain(row);
      if (here > best_gain) {
        best_gain = here;
        best = std::move(row);
      }
    }
    if (best.empty()) best = witness(set, tuple);
    if (best.empty()) {
      set.open[tuple] = 0;
      ++out_.impossible;
      return;
    }
    for (FactorSet& every : sets_) {
      char& open = every.open[static_cast<std::size_t>(tuple_of(every, best))];
      out_.covered += static_cast<std::uint64_t>(open);
      open = 0;
    }
    out_.rows.push_back(std::move(best));
  }

  const std::vector<int>& levels_;
  const std::function<bool(const Row&)>& valid_;
  std::mt19937_64 random_;
  std::vector<FactorSet> sets_;
  CoveringArray out_;
};

}  // namespace

CoveringArray covering_array(const std::vector<int>& levels, int strength,
                             const std::function<bool(const Row&)>& valid, std::uint64_t seed) {
  return Search(levels, strength, valid, seed).run();
}

}  // namespace hotlap::conformance
