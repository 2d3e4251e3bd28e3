// Every split of every reply gives the same answer, and each fault is told.
#include "harness/load/reply_reader.h"

#include <gtest/gtest.h>

#include <vector>

namespace hotlap::load {
namespace {

using Event = ReplyReader::Event;

// How a stream of bytes ended for the reader.
struct Reading {
  bool done = false;
  bool bad = false;
  int status = 0;
  bool keep_alive = false;
  std::string body;
  std::size_t left_over = 0;
  bool operator==(const Reading&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Reading& r) {
  return out << "done " << r.done << " bad " << r.bad << " status " << r.status << " keep "
             << r.keep_alive << " body '" << r.body << "' left over " << r.left_over;
}

Reading read(const std::vector<std::string>& pieces, bool head, bool stream_ends) {
  ReplyReader reader;
  reader.begin(head);
  Reading reading;
  for (const std::string& piece : pieces) {
    std::string_view bytes = piece;
    while (!reading.done && !reading.bad) {
      const Event event = reader.next(bytes);
      if (event == Event::kMore) break;
      if (event == Event::kBody) reading.body += reader.piece();
      if (event == Event::kDone) reading.done = true;
      if (event == Event::kBad) reading.bad = true;
    }
    if (reading.done) reading.left_over += bytes.size();
  }
  if (!reading.done && !reading.bad && stream_ends) {
    reading.done = reader.finish() == Event::kDone;
    reading.bad = !reading.done;
  }
  if (reading.bad) {
    EXPECT_FALSE(reader.fault().empty());
    reading.body.clear();  // how much of a bad reply was handed out may depend on the split
    return reading;
  }
  reading.status = reader.status();
  reading.keep_alive = reader.keep_alive();
  return reading;
}

struct Case {
  const char* name;
  std::string bytes;
  bool head;
  bool stream_ends;
  Reading expected;
};

Reading good(int status, bool keep, std::string body, std::size_t left_over = 0) {
  return {true, false, status, keep, std::move(body), left_over};
}
Reading fault() { return {false, true, 0, false, "", 0}; }

const std::string kOk = "HTTP/1.1 200 OK\r\n";

std::vector<Case> good_cases() {
  const std::string chunked = kOk + "Transfer-Encoding: chunked\r\n\r\n";
  return {
      {"sized", kOk + "Content-Length: 5\r\n\r\nhello", false, false, good(200, true, "hello")},
      {"empty", kOk + "Content-Length: 0\r\n\r\n", false, false, good(200, true, "")},
      {"no reason", "HTTP/1.1 200\r\ncontent-length:2 \r\n\r\nab", false, false,
       good(200, true, "ab")},
      {"lone LF", "HTTP/1.1 200 OK\nContent-Length: 1\n\nx", false, false, good(200, true, "x")},
      {"same length twice", kOk + "Content-Length: 1, 1\r\nContent-Length: 1\r\n\r\nx", false,
       false, good(200, true, "x")},
      {"close", kOk + "Connection: x, Close\r\nContent-Length: 1\r\n\r\nx", false, false,
       good(200, false, "x")},
      {"1.0", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", false, false, good(200, false, "x")},
      {"1.0 kept", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx", false,
       false, good(200, true, "x")},
      {"until close", kOk + "\r\nall of it\r\n\r\n", false, true,
       good(200, false, "all of it\r\n\r\n")},
      {"until close, empty", kOk + "\r\n", false, true, good(200, false, "")},
      {"chunked", chunked + "5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n", false, false,
       good(200, true, "hello!")},
      {"chunk extensions", chunked + "5;a=b\r\nhello\r\n00A ; x=\"y\"\r\n0123456789\r\n0\r\n\r\n",
       false, false, good(200, true, "hello0123456789")},
      {"trailers", chunked + "1\r\nx\r\n0\r\nExpires: 0\r\nContent-Length: 9\r\n\r\n", false, false,
       good(200, true, "x")},
      {"other coding, until close", kOk + "Transfer-Encoding: gzip\r\n\r\nzzz", false, true,
       good(200, false, "zzz")},
      {"two codings", kOk + "Transfer-Encoding: gzip, chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", false,
       false, good(200, true, "x")},
      {"interim",
       "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\n" + kOk +
           "Content-Length: 1\r\n\r\nx",
       false, false, good(200, true, "x")},
      {"204", "HTTP/1.1 204 No Content\r\n\r\n", false, false, good(204, true, "")},
      {"304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n", false, false,
       good(304, true, "")},
      {"HEAD", kOk + "Content-Length: 100\r\n\r\n", true, false, good(200, true, "")},
      {"HEAD chunked", chunked, true, false, good(200, true, "")},
      {"502", "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 1\r\n\r\nx", false, false,
       good(502, true, "x")},
      {"two replies", kOk + "Content-Length: 1\r\n\r\nxHTTP/1.1", false, false,
       good(200, true, "x", 8)},
      {"obs-text in value", kOk + "X: \xc3\xa9\r\nContent-Length: 1\r\n\r\nx", false, false,
       good(200, true, "x")},
  };
}

std::vector<Case> bad_cases() {
  const std::string chunked = kOk + "Transfer-Encoding: chunked\r\n\r\n";
  std::vector<Case> cases;
  const auto add = [&](const char* name, std::string bytes, bool ends = false) {
    cases.push_back({name, std::move(bytes), false, ends, fault()});
  };
  add("not HTTP", "SSH-2.0-OpenSSH_9\r\n");
  add("HTTP/2", "HTTP/2.0 200 OK\r\n");
  add("lower case", "http/1.1 200 OK\r\n");
  add("two digits", "HTTP/1.1 20 OK\r\n");
  add("four digits", "HTTP/1.1 2000 OK\r\n");
  add("below 100", "HTTP/1.1 099 OK\r\n");
  add("switching", "HTTP/1.1 101 Switching\r\n");
  add("blank line first", "\r\n" + kOk);
  add("space before colon", kOk + "Content-Length : 1\r\n");
  add("no colon", kOk + "Content-Length\r\n");
  add("folded", kOk + "X: a\r\n b\r\n");
  add("CR in value", kOk + "X: a\rb\r\n");
  add("NUL in value", kOk + "X: a" + std::string(1, '\0') + "b\r\n");
  add("length -1", kOk + "Content-Length: -1\r\n");
  add("length +1", kOk + "Content-Length: +1\r\n");
  add("length empty", kOk + "Content-Length:\r\n");
  add("length 0x1", kOk + "Content-Length: 0x1\r\n");
  add("length huge", kOk + "Content-Length: 99999999999999999999\r\n");
  add("lengths differ", kOk + "Content-Length: 1\r\nContent-Length: 2\r\n");
  add("length list differs", kOk + "Content-Length: 1, 2\r\n");
  add("length and chunked", kOk + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n");
  add("chunked in 1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  add("chunked twice", kOk + "Transfer-Encoding: chunked, chunked\r\n");
  add("chunked not last", kOk + "Transfer-Encoding: chunked, gzip\r\n");
  add("chunk size empty", chunked + "\r\n");
  add("chunk size 0x5", chunked + "0x5\r\n");
  add("chunk size Z", chunked + "Z\r\n");
  add("chunk size -1", chunked + "-1\r\n");
  add("chunk size huge", chunked + "1000000000000000\r\n");
  add("chunk too long", chunked + "1\r\nxy\r\n");
  add("chunk end missing", chunked + "1\r\nx0\r\n\r\n");
  add("bad trailer", chunked + "0\r\nno colon\r\n");
  add("chunk line too long", chunked + "1;" + std::string(ReplyReader::kMaxChunkLine, 'x'));
  add("cut in head", kOk + "Content-Le", true);
  add("cut in body", kOk + "Content-Length: 5\r\n\r\nhell", true);
  add("cut in chunk", chunked + "5\r\nhel", true);
  add("cut before last chunk", chunked + "1\r\nx\r\n", true);
  add("cut in trailers", chunked + "0\r\n", true);
  add("nothing", "", true);
  return cases;
}

void check_every_split(const Case& c) {
  EXPECT_EQ(read({c.bytes}, c.head, c.stream_ends), c.expected) << c.name;
  std::vector<std::string> bytewise;
  for (const char byte : c.bytes) bytewise.emplace_back(1, byte);
  EXPECT_EQ(read(bytewise, c.head, c.stream_ends), c.expected) << c.name << ", byte by byte";
  if (c.bytes.size() > 1000) return;
  for (std::size_t i = 1; i < c.bytes.size(); ++i) {
    ASSERT_EQ(read({c.bytes.substr(0, i), c.bytes.substr(i)}, c.head, c.stream_ends), c.expected)
        << c.name << ", split at " << i;
    for (std::size_t j = i + 1; j < c.bytes.size(); j += 3) {
      ASSERT_EQ(read({c.bytes.substr(0, i), c.bytes.substr(i, j - i), c.bytes.substr(j)}, c.head,
                     c.stream_ends),
                c.expected)
          << c.name << ", split at " << i << " and " << j;
    }
  }
}

TEST(ReplyReader, EverySplitOfEveryGoodReply) {
  for (const Case& c : good_cases()) check_every_split(c);
}

TEST(ReplyReader, EverySplitOfEveryBadReply) {
  for (const Case& c : bad_cases()) check_every_split(c);
}

TEST(ReplyReader, EveryGoodReplyCutShortIsNotDone) {
  for (const Case& c : good_cases()) {
    const std::size_t whole = c.bytes.size() - c.expected.left_over;
    if (c.stream_ends) continue;  // delimited by the close: any cut in the body is an end
    for (std::size_t i = 0; i < whole; ++i) {
      ASSERT_TRUE(read({c.bytes.substr(0, i)}, c.head, true).bad) << c.name << " cut at " << i;
    }
  }
}

TEST(ReplyReader, HeadsAreLimitedAndBodiesAreNot) {
  const std::string line = "X: " + std::string(1000, 'y') + "\r\n";
  std::string head = kOk;
  while (head.size() <= ReplyReader::kMaxHead) head += line;
  EXPECT_TRUE(read({head}, false, false).bad);
  EXPECT_TRUE(read({kOk + "X: " + std::string(ReplyReader::kMaxLine, 'y')}, false, false).bad);
  std::string interim;
  while (interim.size() <= ReplyReader::kMaxHead) interim += "HTTP/1.1 100 Continue\r\n\r\n";
  EXPECT_TRUE(read({interim}, false, false).bad);

  ReplyReader reader;
  reader.begin(false);
  std::string_view start = "HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n";
  EXPECT_EQ(reader.next(start), Event::kMore);
  const std::string part(1'000'000, 'z');
  for (int i = 0; i < 1000; ++i) {
    std::string_view bytes = part;
    ASSERT_EQ(reader.next(bytes), Event::kBody);
    ASSERT_EQ(reader.piece().size(), part.size());
  }
  std::string_view none;
  EXPECT_EQ(reader.next(none), Event::kDone);
}

}  // namespace
}  // namespace hotlap::load
