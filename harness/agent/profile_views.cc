// See profile_views.h.
#include "harness/agent/profile_views.h"

#include <list>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "harness/profile/attribution.h"
#include "harness/profile/heap_probes.h"
#include "harness/profile/off_cpu.h"
#include "harness/profile/perf_script.h"
#include "harness/profile/view_amounts.h"
#include "harness/profile/view_tally.h"

namespace hotlap::agent {
namespace {

using hotlap::v1::View;
using hotlap::v1::ViewArm;

// Of waits without a wake-up; below it they are not worth a note.
constexpr double kNotedShare = 0.01;

void note_blind(const profile::Attribution& attribution, ViewArm& arm) {
  for (const std::string& program : attribution.blind()) {
    arm.add_notes(absl::StrCat("stages cannot be told: ", program,
                               " has no debug information; build it with -g1, and do not strip "
                               "it"));
  }
}

void note_lost(const profile::Script& script, ViewArm& arm) {
  arm.set_lost_events(static_cast<uint64_t>(script.lost_samples));
  if (script.lost_samples > 0) {
    arm.add_notes(absl::StrCat(script.lost_samples,
                               " events were lost: perf could not keep up, and what they would "
                               "have added is in no figure; a lower --frequency, --call-graph fp "
                               "or fewer connections lose fewer"));
  }
  if (script.unread_lines > 0) {
    arm.add_notes(absl::StrCat(script.unread_lines, " lines of perf script were not understood"));
  }
}

void note_waits(const profile::Waits& waits, int64_t lost_wake_ups, const SampledArm& sampled,
                ViewArm& arm) {
  if (waits.torn > 0) {
    arm.add_notes(absl::StrCat(
        "waits without beginning or end among the events, and in no figure: ", waits.torn));
  }
  if (waits.still_threads > 0) {
    arm.add_notes(absl::StrCat("threads that slept all the time, and are in no figure: ",
                               waits.still_threads));
  }
  const auto missing = static_cast<double>(waits.without_wake_up);
  if (missing > kNotedShare * static_cast<double>(waits.waits.size())) {
    arm.add_notes(absl::StrCat("of ", waits.without_wake_up, " of ", waits.waits.size(),
                               " waits no wake-up was seen (", lost_wake_ups,
                               " were lost; those of threads that began later are not recorded): "
                               "waiting for a CPU after them counts as asleep"));
  }
  if (!sampled.no_wake_ups.ok()) {
    arm.add_notes(
        absl::StrCat("what a thread waits for a CPU after a sleep counts as asleep, for "
                     "wake-ups could not be recorded: ",
                     std::string(sampled.no_wake_ups.message())));
  }
}

void add_up_waits(const SampledArm& sampled, profile::ObjectFiles& files, profile::ViewTally& tally,
                  ViewArm& arm) {
  const profile::Script wake_ups = profile::read_script(sampled.wake_ups);
  const profile::Script script = profile::read_script(sampled.script);
  const profile::Waits waits = profile::read_waits(script, profile::read_wake_ups(wake_ups));
  profile::Attribution attribution(files);
  for (const profile::Wait& wait : waits.waits) tally.add(wait, attribution);
  arm.set_event("context-switches");
  note_blind(attribution, arm);
  note_lost(script, arm);
  note_waits(waits, wake_ups.lost_samples, sampled, arm);
}

void add_up_allocations(const SampledArm& sampled, profile::ObjectFiles& files,
                        profile::ViewTally& tally, ViewArm& arm) {
  const profile::Script script = profile::read_script(sampled.script);
  profile::Attribution attribution(files);
  for (const profile::ScriptSample& sample : script.samples) {
    const auto bytes = profile::allocated_bytes(sample.fields);
    if (bytes) tally.add(sample, *bytes, sampled.every, attribution);
  }
  arm.set_event("malloc and its relatives");
  note_blind(attribution, arm);
  note_lost(script, arm);
}

using AddUp = void (*)(const SampledArm&, profile::ObjectFiles&, profile::ViewTally&, ViewArm&);

absl::Status add_view(const char* name, AddUp add_up, std::vector<SampledArm> sampled,
                      hotlap::v1::Profile& profile) {
  profile::ObjectFiles files;
  std::list<profile::ViewTally> tallies;
  std::vector<const profile::ViewTally*> arms;
  View& view = *profile.add_views();
  view.set_name(name);
  for (size_t i = 0; i < sampled.size(); ++i) {
    profile::ViewTally& tally = tallies.emplace_back(std::move(sampled[i].turns));
    ViewArm& arm = *view.add_arms();
    arm.set_arm(profile.arms(static_cast<int>(i)).arm());
    if (tally.requests() == 0) {
      return absl::FailedPreconditionError(absl::StrCat("arm ", arm.arm(),
                                                        ": it answered no request while it was "
                                                        "recorded: take longer (--duration)"));
    }
    add_up(sampled[i], files, tally, arm);
    tally.fill(arm);
    arm.set_every(sampled[i].every);
    arm.set_call_graph(sampled[i].call_graph);
    arms.push_back(&tally);
  }
  profile::fill_amounts(arms, view);
  return absl::OkStatus();
}

}  // namespace

absl::Status add_off_cpu(std::vector<SampledArm> sampled, hotlap::v1::Profile& profile) {
  return add_view(profile::kOffCpuView, add_up_waits, std::move(sampled), profile);
}

absl::Status add_heap(std::vector<SampledArm> sampled, hotlap::v1::Profile& profile) {
  return add_view(profile::kHeapView, add_up_allocations, std::move(sampled), profile);
}

}  // namespace hotlap::agent
