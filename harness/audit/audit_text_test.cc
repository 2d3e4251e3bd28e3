#include "harness/audit/audit_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotlap::audit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

hotlap::v1::ArmAudit arm(const std::string& name, bool asks) {
  hotlap::v1::ArmAudit audit;
  audit.set_arm(name);
  audit.set_asked(asks ? "fast,address=per_request" : "fast,address=cached");
  audit.set_requests(64);
  audit.set_processes(1);
  audit.set_threads(1);
  auto& later = *audit.mutable_later();
  later.set_windows(63);
  auto* course = later.add_courses();
  course->set_windows(62);
  const auto add = [&](const std::string& call) {
    auto* step = course->add_steps();
    step->set_times(1);
    auto* line = step->add_lines();
    line->set_call(call + "(connection) = 0");
    line->set_per_window(1);
    auto* count = later.add_calls();
    count->set_name(call);
    count->set_calls(63);
    count->set_per_window(1);
  };
  add("recvfrom");
  if (asks) add("getpeername");
  add("sendto");
  return audit;
}

TEST(AuditTextTest, OneTarget) {
  const std::string text = arm_text(arm("a", true));
  EXPECT_THAT(text, HasSubstr("a fast,address=per_request: 64 requests one at a time, 1 process, "
                              "1 thread\n"));
  EXPECT_THAT(text, HasSubstr("later requests, 62 of 63:\n    recvfrom(connection) = 0\n"));
  EXPECT_THAT(text, HasSubstr("      3.00  in all a request\n"));
}

TEST(AuditTextTest, TwoTargetsAreAPatch) {
  const std::string text = difference_text(arm("a", true), arm("b", false));
  EXPECT_THAT(text, HasSubstr("--- a fast,address=per_request"));
  EXPECT_THAT(text, HasSubstr("\n+++ b fast,address=cached"));
  EXPECT_THAT(text,
              HasSubstr("@@ later requests: 3.00 calls -> 2.00, the course of 62 of 63 in a"));
  EXPECT_THAT(text, HasSubstr("\n     1.00    1.00  recvfrom(connection) = 0\n"
                              "-    1.00       .  getpeername(connection) = 0\n"
                              "     1.00    1.00  sendto(connection) = 0\n"));
  EXPECT_THAT(text, HasSubstr("  getpeername                     1.00      0.00       -1.00\n"));
  EXPECT_THAT(text, Not(HasSubstr("+    ")));
}

TEST(AuditTextTest, TheTracerIsNamed) {
  auto one = arm("a", true);
  one.set_tracer("tracepoints");
  EXPECT_THAT(arm_text(one), HasSubstr(", 1 thread, by tracepoints\n"));
}

TEST(AuditTextTest, NotesAreShown) {
  auto one = arm("a", true);
  one.add_notes("the target never came to rest");
  EXPECT_THAT(arm_text(one), HasSubstr("note: arm a: the target never came to rest"));
}

}  // namespace
}  // namespace hotlap::audit
