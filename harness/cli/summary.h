// What a run says when it is done: a sentence and a table for a person, an object for a program,
// and an exit code for a gate.
#ifndef HOTLAP_HARNESS_CLI_SUMMARY_H_
#define HOTLAP_HARNESS_CLI_SUMMARY_H_

#include <string>

#include "harness/proto/results.pb.h"

namespace hotlap::cli {

enum class Gate {
  kOff,
  kOn,              // an uncalibrated machine is undecided
  kUncalibratedOk,  // the verdict applies all the same
};

// The primary verdict of an arm (B by default) against the first; null when there is none.
const hotlap::v1::Verdict* primary_verdict(const hotlap::v1::Run& run);

// "b (fast,request_line=scalar) costs 3.1 % less CPU per request than a (…): improved, certain".
std::string headline(const hotlap::v1::Run& run, const hotlap::v1::Verdict& verdict);

// Fits 80 columns.
std::string text_summary(const hotlap::v1::Run& run);

// One object: schema, run, verdict, reason, calibration, rounds, void_rounds, resolution_percent,
// metrics, open_passes, and the path of profile.json where there is one; null where a value does
// not exist. Metrics of arms beyond the second have
// an "arm" of their own, as all do.
std::string json_summary(const hotlap::v1::Run& run, const std::string& run_directory,
                         bool profiled = false);

// See exit_code.h; for a run that is complete.
int gate_exit_code(const hotlap::v1::Run& run, Gate gate);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_SUMMARY_H_
