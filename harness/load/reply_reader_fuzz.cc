// libFuzzer: a stream read whole, and read in pieces cut where the input says, must end alike; and
// what the memo of the whole takes must be what the reader took. The first byte holds the flags,
// the second seeds the cuts.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "harness/load/reply_memo.h"
#include "harness/load/reply_reader.h"

namespace hotlap::load {
namespace {

struct Ending {
  ReplyReader::Event event = ReplyReader::Event::kMore;
  int status = 0;
  bool keep_alive = false;
  std::string body;
  std::size_t left_over = 0;
};

Ending read(std::string_view stream, bool head, std::uint32_t seed) {
  ReplyReader reader;
  reader.begin(head);
  Ending ending;
  while (ending.event == ReplyReader::Event::kMore && !stream.empty()) {
    std::size_t size = stream.size();
    if (seed != 0) {
      seed = seed * 1664525 + 1013904223;
      size = std::min<std::size_t>(size, (seed >> 24) % 9 + 1);
    }
    std::string_view piece = stream.substr(0, size);
    while ((ending.event = reader.next(piece)) == ReplyReader::Event::kBody) {
      ending.body += reader.piece();
    }
    stream.remove_prefix(size - piece.size());
  }
  if (ending.event == ReplyReader::Event::kMore) ending.event = reader.finish();
  if (ending.event == ReplyReader::Event::kBad) return ending;
  ending.left_over = stream.size();
  ending.status = reader.status();
  ending.keep_alive = reader.keep_alive();
  return ending;
}

void require(bool held) {
  if (!held) std::abort();
}

}  // namespace
}  // namespace hotlap::load

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace hotlap::load;
  if (size < 2) return 0;
  const bool head = (bytes[0] & 1) != 0;
  std::string stream(reinterpret_cast<const char*>(bytes) + 2, size - 2);
  const Ending whole = read(stream, head, 0);
  const Ending pieces = read(stream, head, bytes[1] + 1U);
  require(whole.event == pieces.event);
  if (whole.event == ReplyReader::Event::kBad) return 0;
  require(whole.status == pieces.status && whole.keep_alive == pieces.keep_alive);
  require(whole.body == pieces.body && whole.left_over == pieces.left_over);
  if (whole.left_over != 0 || !whole.keep_alive || stream.empty()) return 0;
  ReplyMemo memo;
  memo.learn(stream, true);
  require(memo.matches(stream.data(), stream.size()));
  stream[bytes[1] * stream.size() / 256] ^= 0x20;
  if (!memo.matches(stream.data(), stream.size())) return 0;
  const Ending changed = read(stream, head, 0);
  require(changed.event == whole.event && changed.status == whole.status);
  require(changed.body == whole.body && changed.keep_alive && changed.left_over == 0);
  return 0;
}
