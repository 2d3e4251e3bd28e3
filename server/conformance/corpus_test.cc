#include "server/conformance/corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace hotlap::conformance {

extern const std::string_view kCorpusText;

namespace {

TEST(Corpus, BuiltInTableParses) {
  ParsedCorpus parsed = parse_corpus(kCorpusText);
  EXPECT_EQ(parsed.error, "");
  EXPECT_GT(parsed.cases.size(), 300u);
}

TEST(Corpus, CoversEveryClauseThatBytesCanShow) {
  std::set<int> clauses;
  for (const Case& one : corpus()) clauses.insert(one.clause);
  for (int clause = 1; clause <= 17; ++clause) EXPECT_TRUE(clauses.contains(clause)) << clause;
}

TEST(Corpus, ShortFormIsAFewDozenCases) {
  size_t quick = 0;
  for (const Case& one : corpus()) quick += one.quick;
  EXPECT_GE(quick, 24u);
  EXPECT_LE(quick, 120u);
}

TEST(Corpus, ReadsEverythingOfACase) {
  auto parsed = parse_corpus(
      "clause 3\ncase a\nquick\nhalf-close\nexpect 100 200/head close\nbody 1 x\\{3*\\x41\\}\n"
      "header 2 Allow: GET, HEAD\nabsent 2 Date\n> GET\n| \\0\\\\\\t\n");
  ASSERT_EQ(parsed.error, "");
  ASSERT_EQ(parsed.cases.size(), 1u);
  const Case& one = parsed.cases[0];
  EXPECT_EQ(one.clause, 3);
  EXPECT_TRUE(one.quick);
  EXPECT_TRUE(one.half_close);
  EXPECT_EQ(one.bytes, std::string("GET\r\n\0\\\t", 8));
  EXPECT_EQ(one.afterwards, Afterwards::close);
  ASSERT_EQ(one.replies.size(), 2u);
  EXPECT_EQ(one.replies[0].body, "xAAA");
  EXPECT_TRUE(one.replies[1].without_body);
  EXPECT_EQ(one.replies[1].fields[0].second, "GET, HEAD");
  EXPECT_EQ(one.replies[1].absent_fields[0], "Date");
}

TEST(Corpus, ErrorsNameTheLine) {
  using testing::HasSubstr;
  EXPECT_THAT(parse_corpus("nonsense\n").error, HasSubstr("line 1"));
  EXPECT_THAT(parse_corpus("case a\nexpect 200\n").error, HasSubstr("line 2"));
  EXPECT_THAT(parse_corpus("case a\nexpect keep\n").error, HasSubstr("line 2"));
  EXPECT_THAT(parse_corpus("case a\nexpect 2x keep\n").error, HasSubstr("line 2"));
  EXPECT_THAT(parse_corpus("case a\nexpect 200 keep\nbody 2 x\n").error, HasSubstr("line 3"));
  EXPECT_THAT(parse_corpus("case a\nexpect 200 keep\n> \\q\n").error, HasSubstr("line 3"));
  EXPECT_THAT(parse_corpus("case a\nexpect 200 keep\n> \\{9*x\n").error, HasSubstr("line 3"));
  EXPECT_THAT(parse_corpus("case a\nexpect 200 keep\n> x\ncase a\n").error, HasSubstr("repeats"));
  EXPECT_THAT(parse_corpus("case a\n> x\n").error, HasSubstr("no 'expect'"));
}

TEST(SplitPoints, EveryPlaceOfAShortCase) {
  EXPECT_THAT(split_points("abcd"), testing::ElementsAre(1, 2, 3));
  EXPECT_THAT(split_points("a"), testing::IsEmpty());
}

TEST(SplitPoints, LongCasesAreCutAtLineEndsAndSpread) {
  std::string bytes = "ab\r\n" + std::string(5000, 'x');
  auto points = split_points(bytes);
  EXPECT_THAT(points, testing::IsSupersetOf({2u, 3u, 4u}));
  EXPECT_LT(points.size(), 100u);
  EXPECT_LT(points.back(), bytes.size());
}

}  // namespace
}  // namespace hotlap::conformance
