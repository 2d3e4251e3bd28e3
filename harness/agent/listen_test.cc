// Who may listen where: nothing beyond this host without certificates.
#include "harness/agent/listen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotlap::agent {
namespace {

using testing::HasSubstr;

ListenOptions plain(const std::string& address) { return {address, "", "", ""}; }

TEST(CheckListen, LoopbackAndUnixNeedNothing) {
  for (const char* address : {"unix:/tmp/x.sock", "127.0.0.1:0", "[::1]:0", "localhost:0"}) {
    EXPECT_TRUE(check_listen(plain(address)).ok()) << address;
  }
}

TEST(CheckListen, OtherAddressesNeedMutualTls) {
  for (const char* address : {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "myhost:1"}) {
    const absl::Status status = check_listen(plain(address));
    EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << address;
    EXPECT_THAT(std::string(status.message()), HasSubstr("--tls-cert")) << address;
  }
  EXPECT_TRUE(check_listen({"0.0.0.0:1", "c.pem", "k.pem", "ca.pem"}).ok());
}

TEST(CheckListen, HalfOfTheCertificatesIsAnError) {
  EXPECT_THAT(std::string(check_listen({"127.0.0.1:1", "c.pem", "", ""}).message()),
              HasSubstr("all of"));
}

}  // namespace
}  // namespace hotlap::agent
