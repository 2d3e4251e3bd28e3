// How a target is written on the command line, and what a stage's A/B expands to.
//   fast                        a profile of the lab's server
//   fast,address=lazy           a profile and changes to it
//   address=lazy                changes to the baseline profile
//   server:asio                 a reference server
//   cmd:./srv --port {port}     a command; {port} becomes the port that it must listen on
//   url:http://127.0.0.1:8080   a server that runs already
// The kind ends at the first colon, so that a command may contain more of them.
#ifndef HOTLAP_HARNESS_CLI_TARGET_GRAMMAR_H_
#define HOTLAP_HARNESS_CLI_TARGET_GRAMMAR_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/proto/experiment.pb.h"

namespace hotlap::cli {

// Errors (INVALID_ARGUMENT) list the kinds that exist. Whether a pipeline's stages and variants
// exist is the server's to say, at set-up.
absl::StatusOr<hotlap::v1::Target> parse_target(const std::string& text);

// "request_line=regex,scalar" on base "fast" gives the targets "fast,request_line=regex" and
// "fast,request_line=scalar"; the first is the reference.
absl::StatusOr<std::vector<std::string>> expand_stage(const std::string& stage_values,
                                                      const std::string& base);

// The text that parse_target would read back.
std::string target_text(const hotlap::v1::Target& target);

// The same with the arm's own variables before it, as a shell has them: "GOGC=off server:go".
std::string arm_text(const hotlap::v1::Arm& arm);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_TARGET_GRAMMAR_H_
