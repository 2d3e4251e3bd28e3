// Exit codes of every hotlap binary. An operational failure never looks like a regression.
#ifndef HOTLAP_HARNESS_CLI_EXIT_CODE_H_
#define HOTLAP_HARNESS_CLI_EXIT_CODE_H_

namespace hotlap::cli {

inline constexpr int kExitDone = 0;       // done; with --gate: no confirmed regression
inline constexpr int kExitRegressed = 1;  // a confirmed regression, under --gate
inline constexpr int kExitUndecided = 2;  // inconclusive or uncalibrated, under --gate
inline constexpr int kExitError = 3;      // of the harness, a target, the command line, start-up
inline constexpr int kExitInterrupted = 130;

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_EXIT_CODE_H_
