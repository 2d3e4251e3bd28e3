// Ids by number, and how a range of them is written.
#include "harness/load/ids.h"

#include <algorithm>
#include <charconv>

#include "harness/load/splitmix.h"

namespace hotlap::load {
namespace {

int digits_of(std::uint64_t id) {
  int digits = 1;
  for (; id >= 10; id /= 10) ++digits;
  return digits;
}

bool parse_id(std::string_view text, std::uint64_t& id) {
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, id);
  return !text.empty() && error == std::errc() && stopped == end;
}

bool parse_range(std::string_view text, Ids& ids) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return false;
  const std::string_view first = text.substr(0, dots);
  const std::string_view last = text.substr(dots + 2);
  if (!parse_id(first, ids.first)) return false;
  const bool padded = first.size() > 1 && first.front() == '0';
  if (padded) ids.width = static_cast<int>(std::min<std::size_t>(first.size(), 20));
  if (last.empty()) return ids.kind == Ids::Kind::kSequence;
  return parse_id(last, ids.last);
}

}  // namespace

std::uint64_t Ids::at(std::uint64_t number) const {
  const std::uint64_t count = last - first + 1;
  if (kind == Kind::kSequence) return first + number % count;
  const std::uint64_t word = mixed(seed + kGolden * (number + 1));
  __extension__ using Wide = unsigned __int128;
  return first + static_cast<std::uint64_t>((Wide{word} * count) >> 64);
}

std::string Ids::fault() const {
  if (last > kMost) return "an id may be at most " + std::to_string(kMost);
  if (first > last) {
    return "the first id, " + std::to_string(first) + ", is beyond the last, " +
           std::to_string(last);
  }
  if (width != 0 && (width < digits_of(last) || width > 19)) {
    return "ids padded to " + std::to_string(width) + " digits cannot reach " +
           std::to_string(last);
  }
  return "";
}

int Ids::least_digits() const { return std::max(width, digits_of(first)); }
int Ids::most_digits() const { return std::max(width, digits_of(last)); }

IdText::IdText(std::uint64_t id, int width) {
  const std::size_t padded = kRoom - static_cast<std::size_t>(width);
  do {
    digits_[--begin_] = static_cast<char>('0' + id % 10);
    id /= 10;
  } while (id > 0);
  while (begin_ > padded) digits_[--begin_] = '0';
}

std::optional<Ids> parse_ids(std::string_view text, std::string& error) {
  Ids ids;
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  ids.kind = kind == "random" ? Ids::Kind::kRandom : Ids::Kind::kSequence;
  const bool known = colon != std::string_view::npos && (kind == "random" || kind == "seq");
  if (!known || !parse_range(text.substr(colon + 1), ids)) {
    error = "ids \"" + std::string(text) +
            "\" must read as random:1..1000000, seq:1..500 or seq:1.. (zeros before the first, as "
            "in 0001..1000, ask for that width)";
    return std::nullopt;
  }
  error = ids.fault();
  if (error.empty()) return ids;
  error = "ids \"" + std::string(text) + "\": " + error;
  return std::nullopt;
}

}  // namespace hotlap::load
