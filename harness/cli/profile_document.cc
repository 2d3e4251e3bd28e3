// See profile_document.h.
#include "harness/cli/profile_document.h"

#include "absl/strings/str_cat.h"
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

// Of each view beyond the CPU's, and of each of its two amounts.
absl::Status write_views(const Profile& profile, const std::filesystem::path& directory) {
  for (const auto& view : profile.views()) {
    for (int i = 0; i < view.arms_size(); ++i) {
      for (const auto& file : profile::exported(profile, view, i)) {
        absl::Status status = record::replace_file(directory / file.name, file.text);
        if (!status.ok()) return status;
      }
    }
  }
  return absl::OkStatus();
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
  absl::Status status;
  for (const auto& arm : profile.arms()) {
    status = record::replace_file(directory / (arm.arm() + ".folded"), profile::folded(arm));
    if (!status.ok()) return status;
    status = record::replace_file(directory / (arm.arm() + ".speedscope.json"),
                                  profile::speedscope(arm));
    if (!status.ok()) return status;
  }
  status = write_views(profile, directory);
  if (status.ok())
    status = record::replace_file(directory / "profile.txt", whole_profile_text(profile));
  if (status.ok()) status = record::replace_file(directory / "profile.json", json);
  return status;
}

}  // namespace hotlap::cli
