// Finding and masking the Date of a remembered reply.
#include "harness/load/reply_memo.h"

#include <bit>

#include "harness/load/http_text.h"

namespace hotlap::load {
namespace {

constexpr std::size_t kDateLength = 29;  // "Sun, 06 Nov 1994 08:49:37 GMT"

// Where the value of the one Date field of exactly 29 bytes begins; 0 when there is none, or two.
std::size_t find_date(std::string_view reply) {
  std::size_t found = 0;
  std::size_t line_at = 0;
  while (line_at < reply.size()) {
    const std::size_t end = reply.find('\n', line_at);
    if (end == std::string_view::npos) break;
    std::string_view line = reply.substr(line_at, end - line_at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) break;
    if (line.size() == 6 + kDateLength && same_ignoring_case(line.substr(0, 6), "date: ")) {
      if (found != 0) return 0;
      found = line_at + 6;
    }
    line_at = end + 1;
  }
  return found;
}

}  // namespace

void ReplyMemo::learn(std::string_view reply, bool keep_alive) {
  bytes_ = reply;
  keep_alive_ = keep_alive;
  date_at_ = find_date(reply);
}

bool ReplyMemo::matches_but_date(const char* bytes) {
  if (date_at_ == 0) return false;
  const std::size_t after = date_at_ + kDateLength;
  if (std::memcmp(bytes, bytes_.data(), date_at_) != 0 ||
      std::memcmp(bytes + after, bytes_.data() + after, bytes_.size() - after) != 0 ||
      !is_field_value({bytes + date_at_, kDateLength})) {
    return false;
  }
  std::memcpy(bytes_.data() + date_at_, bytes + date_at_, kDateLength);
  return true;
}

bool ReplyMemo::worth_learning() { return std::has_single_bit(++misses_); }

}  // namespace hotlap::load
