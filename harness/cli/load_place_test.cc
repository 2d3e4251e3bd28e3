// Where the connections of a load go and what TLS they speak, by its URLs and flags.
#include "harness/cli/load_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace hotlap::cli {
namespace {

using hotlap::v1::LoadRequest;
using ::testing::HasSubstr;

struct Placed {
  LoadRequest request;
  std::string fault;
};

Placed place(const PlaceFlags& flags, const std::vector<std::string>& texts) {
  Placed placed;
  const auto urls = parse_urls(texts);
  placed.fault =
      std::string((urls.ok() ? flags.set(*urls, placed.request) : urls.status()).message());
  return placed;
}

TEST(LoadPlace, AUrlOfEitherSchemeSaysWhere) {
  const Placed plain = place({}, {"http://example.test/x"});
  EXPECT_EQ(plain.fault, "");
  EXPECT_EQ(plain.request.endpoint(), "example.test:80");
  EXPECT_FALSE(plain.request.has_tls());
  const Placed tls = place({}, {"https://Example.test./x", "https://example.TEST./y"});
  EXPECT_EQ(tls.fault, "");
  EXPECT_EQ(tls.request.endpoint(), "Example.test.:443");
  EXPECT_EQ(tls.request.tls().server_name(), "Example.test") << "certificates know no last dot";
  EXPECT_FALSE(tls.request.tls().insecure());
  EXPECT_FALSE(tls.request.tls().no_resume());
  EXPECT_EQ(place({}, {"https://[::1]:8443/"}).request.tls().server_name(), "::1");
}

TEST(LoadPlace, TheNameIsTheUrlsWhereverTheConnectionsGo) {
  PlaceFlags flags;
  flags.connect_to = "127.0.0.1:99";
  const Placed placed = place(flags, {"https://example.test/"});
  EXPECT_EQ(placed.request.endpoint(), "127.0.0.1:99");
  EXPECT_EQ(placed.request.tls().server_name(), "example.test");
  flags.connect_to = "localhost:99";
  EXPECT_EQ(place(flags, {"http://example.test/"}).request.endpoint(), "localhost:99");
}

TEST(LoadPlace, TrustsTheCertificatesOfAFile) {
  const std::string path = testing::TempDir() + "load_place_ca";
  PlaceFlags flags;
  flags.authority_path = path;
  const std::vector<std::string> url{"https://localhost/"};
  EXPECT_THAT(place(flags, url).fault, HasSubstr("No such file"));
  for (const char* text : {"", "no certificate", "-----BEGIN CERTIFICATE-----\n"}) {
    std::ofstream(path) << text;
    EXPECT_THAT(place(flags, url).fault, HasSubstr("there is no PEM certificate in it")) << text;
  }
  flags.authority_path = "/tmp";
  EXPECT_THAT(place(flags, url).fault, HasSubstr("directory"));
  std::remove(path.c_str());
}

TEST(LoadPlace, RefusesWhatContradictsOrDoesNothing) {
  const std::string plain = "http://127.0.0.1:1/";
  const std::string tls = "https://127.0.0.1:1/";
  PlaceFlags flags;
  EXPECT_THAT(place(flags, {plain, tls}).fault, HasSubstr("mix http and https"));
  EXPECT_THAT(place(flags, {plain, "http://127.0.0.1:2/"}).fault, HasSubstr("two servers"));
  flags.connect_to = "127.0.0.1:1";
  EXPECT_THAT(place(flags, {"https://a.test/", "https://b.test/"}).fault, HasSubstr("two hosts"));
  EXPECT_EQ(place(flags, {"http://a.test/", "http://b.test/"}).fault, "");
  for (const char* text : {"127.0.0.1", "127.1:80", "name:", "[::1]", ":80 "}) {
    flags.connect_to = text;
    EXPECT_THAT(place(flags, {plain}).fault, HasSubstr("--connect-to")) << text;
  }
  flags = {};
  flags.insecure = true;
  EXPECT_THAT(place(flags, {plain}).fault, HasSubstr("--insecure would have no effect"));
  flags.authority_path = "ca.pem";
  EXPECT_THAT(place(flags, {tls}).fault, HasSubstr("--ca would have no effect"));
  flags = {};
  flags.no_resume = true;
  EXPECT_THAT(place(flags, {plain}).fault, HasSubstr("--no-tls-resume would have no effect"));
}

}  // namespace
}  // namespace hotlap::cli
