// The fast path against the full parser: whatever the memo accepts, the parser reads as the same
// reply. Also the comparison of bodies.
#include "harness/load/reply_memo.h"

#include <gtest/gtest.h>

#include <random>

#include "harness/load/expected_body.h"
#include "harness/load/reply_reader.h"

namespace hotlap::load {
namespace {

const std::string kDate = "Sun, 06 Nov 1994 08:49:37 GMT";
const std::string kReply = "HTTP/1.1 200 OK\r\nDate: " + kDate +
                           "\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\n"
                           "Hello, World!";

struct Verdict {
  bool whole = false;
  int status = 0;
  bool keep_alive = false;
  std::string body;
  bool operator==(const Verdict&) const = default;
};

Verdict parse(std::string_view bytes) {
  ReplyReader reader;
  reader.begin(false);
  Verdict verdict;
  while (true) {
    switch (reader.next(bytes)) {
      case ReplyReader::Event::kBody:
        verdict.body += reader.piece();
        break;
      case ReplyReader::Event::kDone:
        verdict.whole = bytes.empty();
        verdict.status = reader.status();
        verdict.keep_alive = reader.keep_alive();
        return verdict;
      default:
        return {};
    }
  }
}

bool matches(ReplyMemo& memo, const std::string& reply) {
  return memo.matches(reply.data(), reply.size());
}

TEST(ReplyMemo, AcceptsTheSameReplyWithAnotherDate) {
  ReplyMemo memo;
  EXPECT_FALSE(matches(memo, kReply));
  EXPECT_FALSE(memo.matches("", 0));
  memo.learn(kReply, true);
  EXPECT_TRUE(matches(memo, kReply));
  EXPECT_TRUE(memo.keep_alive());
  std::string later = kReply;
  later.replace(later.find(kDate), 29, "Mon, 07 Nov 1994 08:49:38 GMT");
  EXPECT_TRUE(matches(memo, later));
  EXPECT_TRUE(matches(memo, later));
  EXPECT_TRUE(matches(memo, kReply));
  EXPECT_FALSE(matches(memo, kReply + "x"));
  EXPECT_FALSE(matches(memo, kReply.substr(0, kReply.size() - 1)));
}

TEST(ReplyMemo, ADateMayNotHideALineEnd) {
  ReplyMemo memo;
  memo.learn(kReply, true);
  const std::vector<std::string> inners = {
      "\r\n\r\n", "\r\nX: y", "\n\n", std::string(1, '\0'), "\x7f", "\r\nContent-Length: 1"};
  for (const std::string& inner : inners) {
    std::string forged = kReply;
    const std::string date = inner + std::string(29 - inner.size(), 'a');
    forged.replace(forged.find(kDate), 29, date);
    EXPECT_FALSE(matches(memo, forged)) << inner;
  }
}

TEST(ReplyMemo, OnlyOneDateOfTheHeadIsMasked) {
  const std::string twice =
      "HTTP/1.1 200 OK\r\nDate: " + kDate + "\r\nDate: " + kDate + "\r\nContent-Length: 0\r\n\r\n";
  const std::string in_body =
      "HTTP/1.1 200 OK\r\nContent-Length: 39\r\n\r\nab\r\nDate: " + kDate + "\r\n";
  for (const std::string& reply : {twice, in_body}) {
    ReplyMemo memo;
    memo.learn(reply, true);
    std::string other = reply;
    other.replace(other.rfind(kDate), 29, "Mon, 07 Nov 1994 08:49:38 GMT");
    EXPECT_TRUE(matches(memo, reply));
    EXPECT_FALSE(matches(memo, other)) << other;
  }
}

// A hundred thousand mutations of replies: never accepted by the memo unless the parser reads the
// same reply.
TEST(ReplyMemo, NeverAcceptsWhatTheParserReadsOtherwise) {
  const std::string chunked = "HTTP/1.1 200 OK\r\nDate: " + kDate +
                              "\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
  std::mt19937_64 random(42);
  const std::string alphabet = "\r\n: 0159aZ;,\t\x7f\x80" + std::string(1, '\0');
  int accepted = 0;
  for (const std::string& original : {kReply, chunked}) {
    const Verdict expected = parse(original);
    ASSERT_TRUE(expected.whole);
    const std::size_t date_at = original.find(kDate);
    for (int i = 0; i < 50'000; ++i) {
      ReplyMemo memo;
      memo.learn(original, expected.keep_alive);
      std::string mutant = original;
      for (std::uint64_t n = random() % 4 + 1; n > 0; --n) {
        // Half of the time within the date, where the mask is.
        const std::size_t at =
            random() % 2 == 0 ? date_at - 2 + random() % 33 : random() % mutant.size();
        mutant[at] = alphabet[random() % alphabet.size()];
      }
      if (!matches(memo, mutant)) continue;
      ++accepted;
      ASSERT_EQ(parse(mutant), expected) << mutant;
    }
  }
  EXPECT_GT(accepted, 1000);  // else the test tried nothing
}

TEST(ReplyMemo, LearnsEverMoreRarely) {
  ReplyMemo memo;
  int learned = 0;
  for (int i = 0; i < 1000; ++i) learned += memo.worth_learning() ? 1 : 0;
  EXPECT_EQ(learned, 10);  // at 1, 2, 4, …, 512
}

Body body_of(std::string_view text) {
  Body body;
  body.append(text);
  return body;
}

bool compare(const Body* expected, const std::vector<std::string>& pieces) {
  BodyComparison comparison;
  comparison.begin(expected, false);
  for (const std::string& piece : pieces) comparison.add(piece);
  return comparison.equal();
}

TEST(BodyComparison, AtEverySplit) {
  const Body expected = body_of("hello");
  EXPECT_FALSE(compare(&expected, {}));
  EXPECT_TRUE(compare(nullptr, {"anything"}));
  for (std::size_t i = 0; i <= 5; ++i) {
    const std::string text = "hello";
    EXPECT_TRUE(compare(&expected, {text.substr(0, i), text.substr(i)}));
    EXPECT_FALSE(compare(&expected, {text.substr(0, i), text.substr(i), "!"}));
    EXPECT_FALSE(compare(&expected, {text.substr(0, i)}) && i < 5);
    if (i == 5) continue;
    std::string other = text;
    other[i] = 'X';
    EXPECT_FALSE(compare(&expected, {other.substr(0, i), other.substr(i)}));
  }
}

TEST(BodyComparison, LongBodiesInBoundedMemory) {
  const std::string part(300'000, 'p');
  Body expected;
  for (int i = 0; i < 10; ++i) expected.append(part);
  EXPECT_EQ(expected.length, 3'000'000U);
  EXPECT_EQ(expected.start.size(), Body::kVerbatim);
  const std::vector<std::string> same(10, part);
  EXPECT_TRUE(compare(&expected, same));
  EXPECT_TRUE(compare(&expected, {std::string(3'000'000, 'p')}));
  std::vector<std::string> other = same;
  other.back().back() = 'q';
  EXPECT_FALSE(compare(&expected, other));
  other = same;
  other.pop_back();
  EXPECT_FALSE(compare(&expected, other));
}

TEST(ExpectedBody, TheFirstLearnedHolds) {
  ExpectedBody expected;
  EXPECT_EQ(expected.get(), nullptr);
  EXPECT_EQ(*expected.learn(body_of("one")), body_of("one"));
  EXPECT_EQ(*expected.learn(body_of("two")), body_of("one"));
}

}  // namespace
}  // namespace hotlap::load
