// Every request_line variant against the first one, its input flush against a guard page.
#include <gtest/gtest.h>

#include "server/conformance/check.h"
#include "variants/contract/guarded.h"
#include "variants/contract/inputs.h"
#include "variants/registry.h"

namespace hotlap::variants {
namespace {

using namespace server;
using conformance::printable;

class RequestLineContract : public testing::TestWithParam<const RequestLineStage*> {
 protected:
  void SetUp() override {
    if (const char* why = unsupported_reason(GetParam()->info)) GTEST_SKIP() << why;
  }
};

bool lies_within(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

TEST_P(RequestLineContract, SameVerdictAndFieldsAsTheReference) {
  const RequestLineStage& reference = *variants_of<RequestLineStage>().front();
  Guarded guarded;
  for (const std::string& text : request_lines()) {
    const std::string_view line = guarded.place(text);
    RequestLine want, got;
    const HttpStatus expected = reference.parse(line, want);
    const HttpStatus status = GetParam()->parse(line, got);
    ASSERT_EQ(status, expected) << printable(text);
    if (status != kAccepted) continue;
    ASSERT_EQ(got.method, want.method) << printable(text);
    ASSERT_EQ(got.target, want.target) << printable(text);
    ASSERT_EQ(got.minor, want.minor) << printable(text);
    ASSERT_TRUE(lies_within(got.target, line)) << printable(text);
  }
}

struct Expected {
  std::string_view line;
  HttpStatus status;
  Method method = Method::kUnknown;
  std::string_view target = "";
  int minor = 1;
};

// The reference itself must be right, so that all are not wrong alike.
TEST_P(RequestLineContract, KnownLines) {
  constexpr Expected kLines[] = {
      {"GET /hello HTTP/1.1", kAccepted, Method::kGet, "/hello", 1},
      {"HEAD / HTTP/1.0", kAccepted, Method::kHead, "/", 0},
      {"PATCH /a?b=c HTTP/1.9", kAccepted, Method::kPatch, "/a?b=c", 9},
      {"OPTIONS * HTTP/1.1", kAccepted, Method::kOptions, "*", 1},
      {"GET http://a/b HTTP/1.1", kAccepted, Method::kGet, "http://a/b", 1},
      {"CONNECT a:443 HTTP/1.1", kAccepted, Method::kConnect, "a:443", 1},
      {"GET * HTTP/1.1", 400},
      {"GET a HTTP/1.1", 400},
      {"GET /#a HTTP/1.1", 400},
      {"GET /\x80 HTTP/1.1", 400},
      {"GET /a HTTP/2.0", 505},
      {"FOO /a HTTP/2.0", 505},
      {"FOO /a HTTP/1.1", 501},
      {"get /a HTTP/1.1", 501},
      {"G(T /a HTTP/1.1", 400},
      {"GET /a HTTP/1.1 ", 400},
      {"GET /a http/1.1", 400},
      {"GET  /a HTTP/1.1", 400},
      {"", 400},
  };
  Guarded guarded;
  for (const Expected& expected : kLines) {
    RequestLine got;
    EXPECT_EQ(GetParam()->parse(guarded.place(expected.line), got), expected.status)
        << expected.line;
    if (expected.status != kAccepted) continue;
    EXPECT_EQ(got.method, expected.method) << expected.line;
    EXPECT_EQ(got.target, expected.target) << expected.line;
    EXPECT_EQ(got.minor, expected.minor) << expected.line;
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, RequestLineContract,
                         testing::ValuesIn(variants_of<RequestLineStage>().begin(),
                                           variants_of<RequestLineStage>().end()),
                         [](const auto& info) { return variant_test_name(info.param); });

}  // namespace
}  // namespace hotlap::variants
