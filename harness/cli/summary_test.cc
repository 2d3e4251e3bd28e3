// What scripts and gates read: the JSON object's fields, the exit codes, and lines that fit.
#include "harness/cli/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/cli/exit_code.h"

namespace hotlap::cli {
namespace {

hotlap::v1::Run run_with(const std::string& word, bool gates) {
  hotlap::v1::Run run;
  run.set_schema_version(1);
  run.set_state("complete");
  run.set_calibration("uncalibrated");
  for (const char* name : {"a", "b"}) {
    auto* arm = run.mutable_effective()->add_arms();
    arm->set_name(name);
    arm->mutable_target()->set_pipeline("fast");
  }
  run.mutable_schedule()->set_rounds(24);
  auto* verdict = run.add_verdicts();
  verdict->set_metric("cpu_per_request");
  verdict->set_unit("ns");
  verdict->set_better("lower");
  verdict->set_arm("b");
  verdict->set_a(7000);
  verdict->set_b(7100);
  verdict->set_estimate_percent(1.43);
  verdict->set_interval_low_percent(1.2);
  verdict->set_interval_high_percent(1.6);
  verdict->set_verdict(word);
  verdict->set_reason("because");
  verdict->set_primary(true);
  verdict->set_gates(gates);
  return run;
}

TEST(GateExitCode, IsAlwaysDoneWithoutAGate) {
  EXPECT_EQ(gate_exit_code(run_with("regressed", true), Gate::kOff), kExitDone);
}

TEST(GateExitCode, AnUncalibratedMachineIsUndecided) {
  EXPECT_EQ(gate_exit_code(run_with("regressed", true), Gate::kOn), kExitUndecided);
  EXPECT_EQ(gate_exit_code(run_with("equivalent", false), Gate::kOn), kExitUndecided);
}

TEST(GateExitCode, AppliesTheVerdict) {
  EXPECT_EQ(gate_exit_code(run_with("regressed", true), Gate::kUncalibratedOk), kExitRegressed);
  EXPECT_EQ(gate_exit_code(run_with("inconclusive", false), Gate::kUncalibratedOk), kExitUndecided);
  EXPECT_EQ(gate_exit_code(run_with("improved", false), Gate::kUncalibratedOk), kExitDone);
  hotlap::v1::Run calibrated = run_with("regressed", true);
  calibrated.set_calibration("calibrated");
  EXPECT_EQ(gate_exit_code(calibrated, Gate::kOn), kExitRegressed);
}

TEST(GateExitCode, ARegressionOutweighsDoubtAboutAnotherArm) {
  hotlap::v1::Run run = run_with("regressed", true);
  *run.add_verdicts() = run_with("inconclusive", false).verdicts(0);
  EXPECT_EQ(gate_exit_code(run, Gate::kUncalibratedOk), kExitRegressed);
}

TEST(JsonSummary, HasTheDocumentedFieldsAndNullsWhereUndefined) {
  hotlap::v1::Run run = run_with("regressed", true);
  const auto object = nlohmann::json::parse(json_summary(run, "results/x"));
  for (const char* field : {"schema", "run", "verdict", "reason", "calibration", "rounds",
                            "void_rounds", "resolution_percent", "metrics"}) {
    EXPECT_TRUE(object.contains(field)) << field;
  }
  EXPECT_EQ(object["verdict"], "regressed");
  EXPECT_TRUE(object["resolution_percent"].is_null());
  const auto& metric = object["metrics"][0];
  EXPECT_EQ(metric["name"], "cpu_per_request");
  EXPECT_EQ(metric["interval_percent"], nlohmann::json::array({1.2, 1.6}));
  EXPECT_TRUE(metric["estimate_absolute"].is_null());
  EXPECT_TRUE(metric["interval_absolute"].is_null());
  EXPECT_TRUE(metric["p"].is_null());
}

TEST(JsonSummary, ARunWithoutVerdictSaysNull) {
  hotlap::v1::Run run = run_with("regressed", true);
  run.clear_verdicts();
  run.set_failure("arm b died");
  const auto object = nlohmann::json::parse(json_summary(run, "results/x"));
  EXPECT_TRUE(object["verdict"].is_null());
  EXPECT_EQ(object["reason"], "arm b died");
}

TEST(TextSummary, TablesFitEightyColumns) {
  std::istringstream lines(text_summary(run_with("inconclusive", false)));
  std::string line;
  int rows = 0;
  while (std::getline(lines, line)) {
    size_t columns = 0;
    for (char c : line) columns += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    EXPECT_LE(columns, 80u) << line;
    ++rows;
  }
  EXPECT_GT(rows, 4);
}

TEST(Headline, SaysWhichWay) {
  const hotlap::v1::Run run = run_with("regressed", true);
  EXPECT_THAT(headline(run, run.verdicts(0)), testing::HasSubstr("more CPU per request"));
}

}  // namespace
}  // namespace hotlap::cli
