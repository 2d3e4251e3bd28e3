// The ids that a stream of requests asks for: one a request, a function of the request's number, so
// that every arm gets the same ones and nothing is kept. An id costs a multiplication or a
// division.
#ifndef HOTLAP_HARNESS_LOAD_IDS_H_
#define HOTLAP_HARNESS_LOAD_IDS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hotlap::load {

struct Ids {
  enum class Kind : std::uint8_t {
    kSequence,  // first, first + 1, … last, then again
    kRandom,    // each of the range as likely (within its size / 2^64), one as if without the other
  };
  static constexpr std::uint64_t kMost = INT64_MAX;  // 19 digits

  Kind kind = Kind::kSequence;
  std::uint64_t first = 1;
  std::uint64_t last = kMost;
  int width = 0;           // zeros are put before shorter ids up to so many digits; 0: none
  std::uint64_t seed = 0;  // of kRandom

  // Of request `number`, counted from 0.
  std::uint64_t at(std::uint64_t number) const;
  // What is wrong with the range; empty when nothing is.
  std::string fault() const;
  int least_digits() const;
  int most_digits() const;
};

// An id as it is sent.
class IdText {
 public:
  IdText(std::uint64_t id, int width);
  std::string_view text() const { return {digits_.data() + begin_, kRoom - begin_}; }

 private:
  static constexpr std::size_t kRoom = 20;
  std::array<char, kRoom> digits_;
  std::size_t begin_ = kRoom;
};

// "random:1..1000000", "seq:1..500", "seq:1.." (without end). Zeros before the first bound, as in
// 0001..1000, ask for ids of that width. On failure nullopt, and `error` says how it must read.
std::optional<Ids> parse_ids(std::string_view text, std::string& error);

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_IDS_H_
