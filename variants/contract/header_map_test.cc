// Every header_map variant against the first one: verdict, framing fields, and what is stored. The
// block is flush against a guard page and overwritten before the map is asked.
#include <gtest/gtest.h>

#include <vector>

#include "server/conformance/check.h"
#include "server/http/chars.h"
#include "server/stage_state.h"
#include "variants/contract/guarded.h"
#include "variants/contract/inputs.h"
#include "variants/contract/owned_map.h"
#include "variants/registry.h"

namespace hotlap::variants {
namespace {

using namespace server;
using conformance::printable;

bool same(const FramingFields& a, const FramingFields& b) {
  return a.content_length == b.content_length && a.has_content_length == b.has_content_length &&
         a.has_transfer_encoding == b.has_transfer_encoding &&
         a.last_coding_is_chunked == b.last_coding_is_chunked &&
         a.chunked_count == b.chunked_count && a.has_other_coding == b.has_other_coding &&
         a.has_host == b.has_host && a.connection_close == b.connection_close &&
         a.connection_keep_alive == b.connection_keep_alive &&
         a.expect_continue == b.expect_continue && a.expect_other == b.expect_other;
}

class HeaderMapContract : public testing::TestWithParam<const HeaderMapStage*> {
 protected:
  void SetUp() override {
    if (const char* why = unsupported_reason(GetParam()->info)) GTEST_SKIP() << why;
  }
};

void expect_same_fields(const OwnedMap& want, const OwnedMap& got, const std::string& block) {
  const auto expected = want.fields(), fields = got.fields();
  ASSERT_EQ(fields.size(), expected.size()) << printable(block);
  for (size_t i = 0; i < fields.size(); ++i) {
    ASSERT_EQ(fields[i].name, expected[i].name) << printable(block);
    ASSERT_EQ(fields[i].value, expected[i].value) << printable(block);
    std::string_view value;
    ASSERT_TRUE(got.first(fields[i].name, value)) << printable(block);
    std::string_view expected_first;
    ASSERT_TRUE(want.first(fields[i].name, expected_first));
    ASSERT_EQ(value, expected_first) << printable(block);
  }
}

TEST_P(HeaderMapContract, SameVerdictAndFieldsAsTheReference) {
  Guarded guarded;
  OwnedMap reference(*variants_of<HeaderMapStage>().front());
  OwnedMap map(*GetParam());
  for (const std::string& block : header_blocks()) {
    const HttpStatus expected = reference.parse(guarded.place(block));
    ASSERT_EQ(map.parse(guarded.place(block)), expected) << printable(block);
    guarded.scribble();
    if (expected == kAccepted) {
      ASSERT_TRUE(same(map.framing, reference.framing)) << printable(block);
      ASSERT_NO_FATAL_FAILURE(expect_same_fields(reference, map, block));
    }
    reference.finish_request();
    map.finish_request();
  }
}

TEST_P(HeaderMapContract, KeepsEveryOccurrenceInOrderUnderLowerCaseNames) {
  OwnedMap map(*GetParam());
  ASSERT_EQ(map.parse("Host: a\r\nCookie:one\r\nX:\t \r\ncOOKIE:  two  \r\nCookie: \x80\xff\r\n"),
            kAccepted);
  const auto fields = map.fields();
  ASSERT_EQ(fields.size(), 5u);
  EXPECT_EQ(fields[1].name, "cookie");
  EXPECT_EQ(fields[1].value, "one");
  EXPECT_EQ(fields[2].value, "");
  EXPECT_EQ(fields[3].name, "cookie");
  EXPECT_EQ(fields[3].value, "two");
  EXPECT_EQ(fields[4].value, "\x80\xff");
  std::string_view value;
  ASSERT_TRUE(map.first("cookie", value));
  EXPECT_EQ(value, "one");
  EXPECT_FALSE(map.first("cooki", value));
  EXPECT_FALSE(map.first("cookies", value));
  EXPECT_FALSE(map.first("", value));
}

TEST_P(HeaderMapContract, NothingStaysFromTheRequestBefore) {
  OwnedMap map(*GetParam());
  std::string many;
  for (int i = 0; i < 100; ++i)
    many += "N" + std::to_string(i) + ": " + std::string(90, 'v') + "\r\n";
  for (int request = 0; request < 50; ++request) {
    ASSERT_EQ(map.parse(many), kAccepted);
    ASSERT_EQ(map.fields().size(), 100u);
    map.finish_request();
    ASSERT_EQ(map.parse("Host: a\r\n"), kAccepted);
    ASSERT_EQ(map.fields().size(), 1u);
    std::string_view value;
    ASSERT_FALSE(map.first("n1", value));
    map.finish_request();
    ASSERT_EQ(map.fields().size(), 0u);
    // A head that is refused half way leaves nothing either.
    ASSERT_EQ(map.parse("A: 1\r\nbad line\r\n"), 400);
    map.finish_request();
    ASSERT_EQ(map.parse(""), kAccepted);
    ASSERT_EQ(map.fields().size(), 0u);
    map.finish_request();
  }
}

TEST_P(HeaderMapContract, ParseClearsFirst) {
  OwnedMap map(*GetParam());
  ASSERT_EQ(map.parse("A: 1\r\nB: 2\r\n"), kAccepted);
  ASSERT_EQ(map.parse("C: 3\r\n"), kAccepted);
  ASSERT_EQ(map.fields().size(), 1u);
  EXPECT_EQ(map.fields()[0].name, "c");
}

TEST_P(HeaderMapContract, TwoMapsAtAnyAddressDoNotMix) {
  OwnedMap one(*GetParam()), two(*GetParam());
  ASSERT_EQ(one.parse("A: 1\r\n"), kAccepted);
  ASSERT_EQ(two.parse("A: 2\r\nB: 3\r\n"), kAccepted);
  EXPECT_EQ(one.fields().size(), 1u);
  EXPECT_EQ(one.fields()[0].value, "1");
  EXPECT_EQ(two.fields()[1].value, "3");
}

INSTANTIATE_TEST_SUITE_P(Registry, HeaderMapContract,
                         testing::ValuesIn(variants_of<HeaderMapStage>().begin(),
                                           variants_of<HeaderMapStage>().end()),
                         [](const auto& info) { return variant_test_name(info.param); });

}  // namespace
}  // namespace hotlap::variants
