// What `audit` and `profile` share: flags of one target or two, and a directory that holds what was
// found of them and a page of it.
#ifndef HOTLAP_HARNESS_CLI_ARMS_DOCUMENT_H_
#define HOTLAP_HARNESS_CLI_ARMS_DOCUMENT_H_

#include <google/protobuf/message.h>

#include <filesystem>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "harness/cli/agent_process.h"
#include "harness/cli/cli11.h"
#include "harness/cli/experiment_flags.h"
#include "harness/cli/interrupt.h"
#include "harness/proto/experiment.pb.h"
#include "harness/proto/results.pb.h"

namespace hotlap::cli {

using Arms = google::protobuf::RepeatedPtrField<hotlap::v1::Arm>;

struct ArmsDocumentFlags {
  std::string target;
  std::string a, b;
  std::string out;
  bool json = false;
  bool quiet = false;
  bool no_report = false;
  ArmFlags own;
  WorkloadFlags workload;
  PlacementFlags placement;

  // Options that name targets come first in --help, those of output, load and places last: the
  // command adds its own between the two. `verb` is its name.
  void add_targets_to(CLI::App& command, const std::string& verb);
  void add_rest_to(CLI::App& command, const std::string& verb);
  // One arm, a, or two, a and b, with what each has of its own.
  absl::StatusOr<Arms> arms(const std::string& verb) const;
  // --out, or a name that says when.
  std::filesystem::path directory(const std::string& verb) const;
};

// The host that the agent runs on.
absl::StatusOr<hotlap::v1::Environment> describe_host(AgentProcess& agent, Interrupt& interrupt);

// A message as VERB.json.
absl::StatusOr<std::string> document_json(const google::protobuf::Message& message,
                                          const std::string& verb);

// Once the directory holds all data: makes its page unless that is not wanted, and prints the JSON,
// or `text` and the place of the page.
void show_document(const ArmsDocumentFlags& flags, const std::string& verb,
                   const std::filesystem::path& directory, const std::string& json,
                   const std::string& text);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_ARMS_DOCUMENT_H_
