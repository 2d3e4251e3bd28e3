// The fast path: the bytes of a reply that the full parser has accepted. A read that equals them is
// that reply again, at the price of one memcmp. The value of Date alone may change: then the new
// value must be 29 bytes without control characters, which any parser passes over, and is taken
// into the memo, so that it costs a second comparison once a second. Anything else is for the full
// parser: the memo never rejects, and never accepts what the parser would not.
#ifndef HOTLAP_HARNESS_LOAD_REPLY_MEMO_H_
#define HOTLAP_HARNESS_LOAD_REPLY_MEMO_H_

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace hotlap::load {

class ReplyMemo {
 public:
  // Remembers a whole reply that came in one read and was accepted, with nothing after it.
  // `keep_alive` is what the parser said of the connection; close-delimited replies must not be
  // given.
  void learn(std::string_view reply, bool keep_alive);
  void forget() { bytes_.clear(); }

  bool matches(const char* bytes, std::size_t size) {
    if (size != bytes_.size() || size == 0) return false;
    return std::memcmp(bytes, bytes_.data(), size) == 0 || matches_but_date(bytes);
  }
  // The same where other replies may follow: whether `bytes` begin with it. A reply that was
  // learned says itself where it ends.
  bool begins(std::string_view bytes) {
    return bytes.size() >= bytes_.size() && matches(bytes.data(), bytes_.size());
  }
  std::size_t size() const { return bytes_.size(); }
  bool keep_alive() const { return keep_alive_; }

  // Told of each reply that the full parser had to read although a memo could have held it. Whether
  // it is worth learning: replies that differ each time are copied ever more rarely.
  bool worth_learning();

 private:
  bool matches_but_date(const char* bytes);

  std::string bytes_;
  std::size_t date_at_ = 0;  // where the value of Date begins; 0 where there is none to mask
  bool keep_alive_ = false;
  std::size_t misses_ = 0;
};

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_REPLY_MEMO_H_
