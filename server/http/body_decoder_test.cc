// The decoder gives the same bytes and the same verdict at every split, and takes no byte of what
// follows.
#include "server/http/body_decoder.h"

#include <gtest/gtest.h>

#include <string>

namespace hotlap::server {
namespace {

struct Decoded {
  BodyDecoder::State state = BodyDecoder::State::kMore;
  HttpStatus status = kAccepted;
  std::string data;
  std::size_t consumed = 0;

  bool operator==(const Decoded&) const = default;
};

Decoded decode(BodyDecoder decoder, const std::string& text, std::size_t piece) {
  Decoded decoded;
  for (std::size_t at = 0; at < text.size() && decoded.state == BodyDecoder::State::kMore;) {
    const auto step = decoder.step(std::string_view(text).substr(at, piece));
    decoded.data += step.data;
    decoded.state = step.state;
    at += step.consumed;
    decoded.consumed = at;
    EXPECT_GT(step.consumed, 0u);
    if (step.consumed == 0) break;
  }
  decoded.status = decoder.status();
  return decoded;
}

Decoded decode_all_ways(const BodyDecoder& decoder, const std::string& text) {
  const Decoded whole = decode(decoder, text, text.size());
  for (std::size_t piece = 1; piece <= text.size() && piece <= 32; ++piece) {
    EXPECT_EQ(decode(decoder, text, piece), whole) << "in pieces of " << piece << " of " << text;
  }
  return whole;
}

Decoded chunked(const std::string& text, BodyLimits limits = {}) {
  BodyDecoder decoder;
  decoder.start_chunked(limits);
  return decode_all_ways(decoder, text);
}

TEST(BodyDecoder, TakesExactlyTheContentLength) {
  BodyDecoder decoder;
  decoder.start_length(5);
  const Decoded decoded = decode_all_ways(decoder, "helloGET");
  EXPECT_EQ(decoded.state, BodyDecoder::State::kDone);
  EXPECT_EQ(decoded.data, "hello");
  EXPECT_EQ(decoded.consumed, 5u);
  decoder.start_empty();
  EXPECT_TRUE(decoder.done());
}

TEST(BodyDecoder, JoinsChunksAndDropsTrailers) {
  const std::string body =
      "5\r\nhello\r\n00007;a=\"b\"\r\n, world\r\n1 ; x\r\n!\r\n0\r\nA: b\r\nC:\r\n\r\n";
  const Decoded decoded = chunked(body + "GET");
  EXPECT_EQ(decoded.state, BodyDecoder::State::kDone);
  EXPECT_EQ(decoded.data, "hello, world!");
  EXPECT_EQ(decoded.consumed, body.size());
}

TEST(BodyDecoder, RefusesWhatIsNoChunkLine) {
  for (const char* line : {"0x5", "+5", " 5", "5_0", "", "Z", "5 ", "00000000000000005", "-1",
                           "5;a\n", "5\n", "5;\x01", "5;a\rb"}) {
    EXPECT_EQ(chunked(std::string(line) + "\r\nhello\r\n0\r\n\r\n").status, 400) << line;
  }
}

TEST(BodyDecoder, RefusesDataWithoutItsLineEndAndBadTrailers) {
  EXPECT_EQ(chunked("5\r\nhelloX\r\n0\r\n\r\n").status, 400);
  EXPECT_EQ(chunked("5\r\nhello\n0\r\n\r\n").status, 400);
  for (const char* trailer :
       {"A: b\n", " A: b\r\n", "A b\r\n", ": b\r\n", "A: \x01\r\n", "A: b\rc"}) {
    EXPECT_EQ(chunked("0\r\n" + std::string(trailer) + "\r\n").status, 400) << trailer;
  }
}

TEST(BodyDecoder, KeepsItsLimits) {
  BodyLimits limits;
  limits.body_bytes = 6;
  EXPECT_EQ(chunked("6\r\nabcdef\r\n0\r\n\r\n", limits).state, BodyDecoder::State::kDone);
  EXPECT_EQ(chunked("5\r\nabcde\r\n2\r\nfg\r\n", limits).status, 413);
  EXPECT_EQ(chunked("ffffffffffffffff\r\n", limits).status, 413);
  limits.extension_bytes = 8;
  EXPECT_EQ(chunked("1;aaaa\r\nx\r\n1;aaaa\r\ny\r\n0\r\n\r\n", limits).status, 400);
  limits.trailers = 2;
  EXPECT_EQ(chunked("0\r\na:\r\nb:\r\nc:\r\n\r\n", limits).status, 431);
  limits.trailer_bytes = 4;
  EXPECT_EQ(chunked("0\r\nabcdef: g\r\n\r\n", limits).status, 431);
}

}  // namespace
}  // namespace hotlap::server
