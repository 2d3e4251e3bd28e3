// A profile as `profile` and `ab` take one through an agent, and the files that it becomes.
#ifndef HOTLAP_HARNESS_CLI_PROFILE_DOCUMENT_H_
#define HOTLAP_HARNESS_CLI_PROFILE_DOCUMENT_H_

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "harness/cli/agent_process.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/progress.h"
#include "harness/proto/control.pb.h"
#include "harness/proto/results.pb.h"

namespace hotlap::cli {

// But for the command and the environment. CANCELLED when interrupted.
absl::StatusOr<hotlap::v1::Profile> take_profile(const hotlap::v1::ProfileRequest& request,
                                                 AgentProcess& agent, Interrupt& interrupt,
                                                 Progress& progress);

// Of a run, by its primary metric the arm farthest from the first; arm 1 where none is known.
int most_different_arm(const hotlap::v1::Run& run);

// What the notes of a run say of its profile; and of one that could not be had, on one line.
std::vector<std::string> profile_notes(const hotlap::v1::Profile& profile,
                                       const hotlap::v1::Experiment& effective);
std::string no_profile_note(const absl::Status& why);

// profile.json.
absl::StatusOr<std::string> profile_json(const hotlap::v1::Profile& profile);

// What a terminal shows of it, all views.
std::string whole_profile_text(const hotlap::v1::Profile& profile);

// profile.json, profile.txt, folded stacks and speedscope files of every arm and view, into a
// directory that exists: all, or after a failure none.
absl::Status write_profile(const hotlap::v1::Profile& profile, const std::string& json,
                           const std::filesystem::path& directory);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_PROFILE_DOCUMENT_H_
