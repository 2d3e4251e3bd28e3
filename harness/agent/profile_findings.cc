// See profile_findings.h.
#include "harness/agent/profile_findings.h"

#include <list>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "harness/profile/annotation.h"
#include "harness/profile/attribution.h"
#include "harness/profile/costs.h"
#include "harness/profile/perf_script.h"
#include "harness/targets/tool.h"

namespace hotlap::agent {
namespace {

using hotlap::v1::ArmProfile;
using hotlap::v1::Cost;

constexpr size_t kAnnotated = 3;
constexpr absl::Duration kDisassembleTime = absl::Seconds(60);

void add_notes(const profile::Script& script, const profile::Attribution& attribution,
               ArmProfile& arm) {
  for (const std::string& program : attribution.blind()) {
    arm.add_notes(absl::StrCat("stages cannot be told: ", program,
                               " has no debug information; build it with -g1, and do not strip "
                               "it"));
  }
  if (script.lost_samples > 0) {
    arm.add_notes(absl::StrCat(script.lost_samples,
                               " samples were lost: perf could not keep up; a lower --frequency or "
                               "--call-graph fp loses fewer"));
  }
  if (script.unread_lines > 0) {
    arm.add_notes(absl::StrCat(script.unread_lines, " lines of perf script were not understood"));
  }
}

absl::Status add_up(const std::string& text, profile::ObjectFiles& files, profile::Tally& tally,
                    ArmProfile& arm) {
  const profile::Script script = profile::read_script(text);
  profile::Attribution attribution(files);
  for (const auto& sample : script.samples) tally.add(sample, attribution);
  arm.set_lost_samples(static_cast<uint64_t>(script.lost_samples));
  if (tally.samples() == 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        "arm ", arm.arm(), ": none of ", script.samples.size(), " samples of ", arm.event(),
        " fell into its ", tally.cpu_ns() / 1'000'000, " ms of CPU time (", script.lost_samples,
        " were lost): sample for longer (--duration) or more often (--frequency)"));
  }
  tally.fill(arm);
  add_notes(script, attribution, arm);
  return absl::OkStatus();
}

profile::Disassembler disassembler(targets::Spawner& spawner, const std::string& directory) {
  return [&spawner, directory](const std::string& path, const profile::CodeRange& range) {
    auto text = targets::run_tool(spawner,
                                  {"objdump", "--disassemble", "--no-show-raw-insn", "--demangle",
                                   absl::StrCat("--start-address=", range.begin),
                                   absl::StrCat("--stop-address=", range.end), path},
                                  directory + "/assembly", kDisassembleTime);
    // Lines of source do without.
    return text.ok() ? profile::read_objdump(*text) : profile::Assembly();
  };
}

}  // namespace

absl::Status fill_findings(targets::Spawner& spawner, const std::string& directory,
                           std::vector<SampledArm> sampled, hotlap::v1::Profile& profile) {
  profile::ObjectFiles files;
  std::list<profile::Tally> tallies;
  std::vector<const profile::Tally*> arms;
  for (size_t i = 0; i < sampled.size(); ++i) {
    profile::Tally& tally = tallies.emplace_back(std::move(sampled[i].turns));
    ArmProfile& arm = *profile.mutable_arms(static_cast<int>(i));
    arm.set_call_graph(sampled[i].call_graph);
    absl::Status status = add_up(sampled[i].script, files, tally, arm);
    if (!status.ok()) return status;
    arms.push_back(&tally);
  }
  *profile.mutable_total() = profile::total_cost(arms);
  for (Cost& cost : profile::stage_costs(arms)) *profile.add_stages() = std::move(cost);
  for (Cost& cost : profile::system_call_costs(arms)) {
    *profile.add_system_calls() = std::move(cost);
  }
  const std::vector<Cost> functions = profile::function_costs(arms);
  for (const Cost& cost : functions) *profile.add_functions() = cost;
  const auto annotated =
      profile::annotate(functions, kAnnotated, arms, files, disassembler(spawner, directory));
  for (size_t i = 0; i < arms.size(); ++i) {
    auto& list = *profile.mutable_arms(static_cast<int>(i))->mutable_annotated();
    list.Assign(annotated[i].begin(), annotated[i].end());
  }
  return absl::OkStatus();
}

}  // namespace hotlap::agent
