// Templates: a layout is what build_request makes of the request with that id in it.
#include "harness/load/request_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotlap::load {
namespace {

using ::testing::HasSubstr;

Endpoint endpoint() {
  std::string error;
  return Endpoint::parse("127.0.0.1:80", error).value_or(Endpoint{});
}

Ids range(std::uint64_t first, std::uint64_t last, int width = 0) {
  Ids ids;
  ids.first = first;
  ids.last = last;
  ids.width = width;
  return ids;
}

RequestSpec everywhere() {
  RequestSpec spec;
  spec.method = "POST";
  spec.target = "/users/{id}/orders?of={id}{id}";
  spec.headers = {{"X-Request-Id", "r-{id}"}, {"Accept", "*/*"}};
  spec.body = R"({"user": {id}, "padding": "0000"})";
  return spec;
}

void expect_as_built(const RequestSpec& spec, const Ids& ids, std::uint64_t id) {
  std::string error;
  const auto made = RequestTemplate::make(spec, endpoint(), true, ids, error);
  ASSERT_TRUE(made) << error;
  const IdText text(id, ids.width);
  const RequestTemplate::Layout& layout = made->layout(text.text().size());
  std::string wire = layout.wire;
  layout.write(text.text(), wire.data());
  const auto built = build_request(with_id(spec, text.text()), endpoint(), true, error);
  ASSERT_TRUE(built) << error;
  EXPECT_EQ(wire, built->wire);
  EXPECT_LE(wire.size(), made->longest());
}

TEST(RequestTemplate, IsWhatIsBuiltOfTheRequestWithThatId) {
  for (const std::uint64_t id : {1UL, 9UL, 10UL, 11UL, 100UL, 12345UL, 1000000UL}) {
    SCOPED_TRACE(id);
    expect_as_built(everywhere(), range(1, 1000000), id);
    expect_as_built(everywhere(), range(1, 1000000, 9), id);
  }
  expect_as_built(everywhere(), range(0, Ids::kMost), Ids::kMost);
}

TEST(RequestTemplate, ContentLengthFollowsTheId) {
  std::string error;
  const auto made = RequestTemplate::make(everywhere(), endpoint(), true, range(1, 1000), error);
  ASSERT_TRUE(made);
  EXPECT_THAT(made->layout(1).wire, HasSubstr("Content-Length: 30\r\n"));
  EXPECT_THAT(made->layout(4).wire, HasSubstr("Content-Length: 33\r\n"));
}

TEST(RequestTemplate, KnowsItsPlaces) {
  EXPECT_TRUE(has_place(everywhere()));
  RequestSpec spec;
  EXPECT_FALSE(has_place(spec));
  spec.headers = {{"X", "{id}"}};
  EXPECT_TRUE(has_place(spec));
  spec = {};
  spec.body = "{id";
  EXPECT_FALSE(has_place(spec));
  spec.body = "{id}";
  EXPECT_TRUE(has_place(spec));
}

TEST(RequestTemplate, RefusesWhatCannotBeBuilt) {
  RequestSpec spec = everywhere();
  spec.target = "/a b/{id}";
  std::string error;
  EXPECT_FALSE(RequestTemplate::make(spec, endpoint(), true, range(1, 9), error));
  EXPECT_THAT(error, HasSubstr("has a space or control character"));
}

}  // namespace
}  // namespace hotlap::load
