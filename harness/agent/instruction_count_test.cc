#include "harness/agent/instruction_count.h"

#include <gtest/gtest.h>

namespace hotlap::agent {
namespace {

TEST(InstructionCountTest, TheTotalOfAFile) {
  EXPECT_EQ(callgrind_total("events: Ir\nsummary: 123456789\n\nfn=(1) main\n0 5\n\ntotals: 12\n"),
            123456789);
  EXPECT_EQ(callgrind_total("events: Ir\nfn=(1) main\n0 5\n\ntotals: 12\n"), 12);
  EXPECT_EQ(callgrind_total("events: Ir\nsummary: 7 8 9\n"), 7);
  EXPECT_EQ(callgrind_total(""), 0);
  EXPECT_EQ(callgrind_total("\nsummary: \n"), 0);
}

TEST(InstructionCountTest, AUrlIsRefused) {
  hotlap::v1::InstructionsRequest request;
  request.mutable_arm()->set_name("a");
  request.mutable_arm()->mutable_target()->set_url("http://127.0.0.1:1");
  request.set_requests(10);
  Cancellation cancellation;
  EXPECT_EQ(count_instructions(request, cancellation).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hotlap::agent
