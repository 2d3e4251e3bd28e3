// What is asked of a server, and of its replies, by flags of `hotlap load` alone.
#include "harness/cli/load_ask.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace hotlap::cli {
namespace {

using ::testing::HasSubstr;

constexpr char kHash[] = "BA7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

// `what` done to a workload of one request; the first fault in words.
std::string refused(const std::function<void(AskFlags&, WorkloadFlags&)>& what) {
  AskFlags ask;
  WorkloadFlags workload;
  what(ask, workload);
  const absl::Status checked = ask.check(workload);
  if (!checked.ok()) return std::string(checked.message());
  hotlap::v1::Workload message;
  message.add_requests();
  return std::string(ask.set(message).message());
}

TEST(LoadAsk, SetsEveryRequest) {
  AskFlags ask;
  ask.method = "PUT";
  ask.body_size = "64k";
  ask.expect_sha256 = kHash;
  hotlap::v1::Workload workload;
  workload.add_requests();
  workload.add_requests();
  ASSERT_TRUE(ask.check({}).ok());
  ASSERT_TRUE(ask.set(workload).ok());
  for (const auto& request : workload.requests()) {
    EXPECT_EQ(request.method(), "PUT");
    EXPECT_EQ(request.generated_body_bytes(), 65536U);
    EXPECT_EQ(request.expected_sha256().substr(0, 3), "\xba\x78\x16");
    EXPECT_EQ(request.expected_sha256().size(), 32U);
    EXPECT_FALSE(request.has_expected_length());
  }
}

TEST(LoadAsk, ABodyFromAFile) {
  const std::string path = testing::TempDir() + "load_ask_body";
  const std::string bytes("a\0b\r\n", 5);
  std::ofstream(path, std::ios::binary) << bytes;
  AskFlags ask;
  ask.body_path = path;
  ask.expect_length = 0;
  hotlap::v1::Workload workload;
  workload.add_requests();
  ASSERT_TRUE(ask.set(workload).ok());
  EXPECT_EQ(workload.requests(0).body(), bytes);
  EXPECT_TRUE(workload.requests(0).has_expected_length());
  std::remove(path.c_str());
}

TEST(LoadAsk, RefusesWhatContradicts) {
  using Ask = AskFlags;
  using Work = WorkloadFlags;
  EXPECT_THAT(refused([](Ask& ask, Work& work) {
                ask.method = "PUT";
                work.requests = {"GET /a"};
              }),
              HasSubstr("--method"));
  EXPECT_THAT(refused([](Ask& ask, Work& work) {
                ask.body_size = "5";
                work.body = "hello";
              }),
              HasSubstr("one of --body, --body-file and --body-size"));
  EXPECT_THAT(refused([](Ask& ask, Work&) {
                ask.expect_sha256 = kHash;
                ask.expect_length = 3;
              }),
              HasSubstr("--expect-length would have no effect"));
  EXPECT_THAT(refused([](Ask& ask, Work& work) {
                ask.expect_length = 3;
                work.any_body = true;
              }),
              HasSubstr("--any-body would have no effect"));
  EXPECT_THAT(refused([](Ask& ask, Work& work) {
                ask.expect_sha256 = kHash;
                work.any_body = true;
              }),
              HasSubstr("contradict"));
}

TEST(LoadAsk, RefusesWhatCannotBeRead) {
  for (const char* hash :
       {"abc", "BA7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015zz"}) {
    EXPECT_THAT(refused([hash](AskFlags& ask, WorkloadFlags&) { ask.expect_sha256 = hash; }),
                HasSubstr("64 hexadecimal digits"));
  }
  for (const char* path : {"/no/such/file", "/tmp"}) {
    EXPECT_THAT(refused([path](AskFlags& ask, WorkloadFlags&) { ask.body_path = path; }),
                HasSubstr(path));
  }
  for (const char* size : {"0", "k", "5x", "-5", "1.5k", "2G", "99999999999999999999"}) {
    EXPECT_THAT(refused([size](AskFlags& ask, WorkloadFlags&) { ask.body_size = size; }),
                HasSubstr("64k"))
        << size;
  }
  EXPECT_EQ(*parse_size("--body-size", "1G"), uint64_t{1} << 30);
  EXPECT_EQ(*parse_size("--body-size", "10M"), uint64_t{10} << 20);
}

}  // namespace
}  // namespace hotlap::cli
