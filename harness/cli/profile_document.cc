// See profile_document.h.
#include "harness/cli/profile_document.h"

#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "harness/cli/arms_document.h"
#include "harness/cli/target_grammar.h"
#include "harness/profile/export.h"
#include "harness/profile/profile_text.h"
#include "harness/profile/view_text.h"
#include "harness/record/file.h"

namespace hotlap::cli {
namespace {

using hotlap::v1::Profile;
using hotlap::v1::ProfileRequest;

constexpr uint32_t kSchemaVersion = 1;

// All that a profile becomes, but for its pages. The last is what says that there is one.
std::vector<profile::ExportedFile> files_of(const Profile& profile, const std::string& json) {
  std::vector<profile::ExportedFile> files;
  for (const auto& arm : profile.arms()) {
    files.push_back({arm.arm() + ".folded", profile::folded(arm)});
    files.push_back({arm.arm() + ".speedscope.json", profile::speedscope(arm)});
  }
  for (const auto& view : profile.views()) {
    for (int i = 0; i < view.arms_size(); ++i) {
      for (auto& file : profile::exported(profile, view, i)) files.push_back(std::move(file));
    }
  }
  files.push_back({"profile.txt", whole_profile_text(profile)});
  files.push_back({"profile.json", json});
  return files;
}

}  // namespace

absl::StatusOr<Profile> take_profile(const ProfileRequest& request, AgentProcess& agent,
                                     Interrupt& interrupt, Progress& progress) {
  std::string sampled;
  for (const auto& arm : request.arms()) {
    absl::StrAppend(&sampled, sampled.empty() ? "" : " and ", arm.name(), ": ",
                    target_text(arm.target()));
  }
  progress.update(absl::StrCat("sampling ", sampled));
  grpc::ClientContext context;
  const Interrupt::Call call(interrupt, context);
  hotlap::v1::ProfileResponse response;
  absl::Status status = call_status(agent.stub().Profile(&context, request, &response), interrupt);
  if (!status.ok()) return status;
  Profile profile = std::move(*response.mutable_profile());
  profile.set_schema_version(kSchemaVersion);
  profile.set_created(absl::FormatTime(absl::RFC3339_sec, absl::Now(), absl::UTCTimeZone()));
  return profile;
}

int most_different_arm(const hotlap::v1::Run& run) {
  int found = 1;
  double farthest = 0;
  for (const auto& verdict : run.verdicts()) {
    const double distance = std::fabs(verdict.estimate_percent());
    if (!verdict.primary() || distance <= farthest) continue;
    farthest = distance;
    found = 1;
    while (run.effective().arms(found).name() != verdict.arm()) ++found;
  }
  return found;
}

std::vector<std::string> profile_notes(const Profile& profile,
                                       const hotlap::v1::Experiment& effective) {
  std::vector<std::string> notes;
  for (const auto& arm : profile.arms()) {
    for (const std::string& note : arm.notes()) {
      notes.push_back(absl::StrCat("profile of ", arm.arm(), ": ", note));
    }
  }
  if (effective.placement().share()) {
    notes.emplace_back(
        "profile: server and load share a CPU, and the switches between the two are charged to "
        "whatever ran: its stages hold more than the rounds measured");
  }
  return notes;
}

std::string no_profile_note(const absl::Status& why) {
  std::string text(why.message());
  absl::StripTrailingAsciiWhitespace(&text);
  return absl::StrCat("no profile: ", absl::StrReplaceAll(text, {{"\n", "; "}}));
}

absl::StatusOr<std::string> profile_json(const Profile& profile) {
  return document_json(profile, "profile");
}

std::string whole_profile_text(const Profile& profile) {
  std::string text = profile::profile_text(profile);
  for (const auto& view : profile.views()) {
    absl::StrAppend(&text, "\n", profile::view_text(profile, view));
  }
  return text;
}

absl::Status write_profile(const Profile& profile, const std::string& json,
                           const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> written;
  for (const auto& file : files_of(profile, json)) {
    const absl::Status status = record::replace_file(directory / file.name, file.text);
    if (status.ok()) {
      written.push_back(directory / file.name);
      continue;
    }
    // Half of it is of no use, and may be what a full disk lacks for the rest of the run.
    std::error_code error;
    for (const auto& path : written) std::filesystem::remove(path, error);
    return status;
  }
  return absl::OkStatus();
}

}  // namespace hotlap::cli
