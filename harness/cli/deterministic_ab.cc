// See deterministic_ab.h.
#include "harness/cli/deterministic_ab.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "harness/cli/target_grammar.h"
#include "harness/cli/verdict_message.h"
#include "harness/plan/metric.h"
#include "harness/plan/verdict.h"
#include "harness/record/csv.h"
#include "harness/record/file.h"
#include "harness/record/run_directory.h"

namespace hotlap::cli {
namespace {

using hotlap::v1::Run;
using hotlap::v1::Verdict;

constexpr uint32_t kFewRequests = 50;
// Enough that what a target does by a clock weighs little beside them.
constexpr uint32_t kManyRequests = 2050;
constexpr uint32_t kFewRepetitions = 3;
// An exact signed-rank interval at 5 % takes six.
constexpr uint32_t kManyRepetitions = 8;
constexpr double kAlpha = 0.05;

const char* const kBlindSpots[] = {
    "instructions in user space only: system calls, page faults and what the kernel does are not "
    "seen (hotlap audit and the counting pass of hotlap ab show calls)",
    "every instruction counts the same: caches, branches, memory and clock rate are not seen",
    "the wall clock and the coarse clock stand still for the target, so that what it does once a "
    "second (a new date, a look for idle connections) is not counted; what it does by other timers "
    "is, and may make counts vary a little",
    "the program runs on valgrind's processor, which has AVX2 and no AVX-512: a variant that asks "
    "the processor what it can may run other code there than here",
};

bool same(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](double value) { return value == values.front(); });
}

std::vector<double> values_of(const std::vector<InstructionPair>& pairs, size_t arm) {
  std::vector<double> values;
  for (const InstructionPair& pair : pairs) {
    if (pair.arm == arm) values.push_back(pair.per_request());
  }
  return values;
}

std::string csv_of(const std::vector<InstructionPair>& pairs, const Run& run) {
  std::string text =
      "arm,repetition,few_requests,few_instructions,many_requests,many_instructions,"
      "instructions_per_request\n";
  for (const InstructionPair& pair : pairs) {
    record::CsvLine line;
    line.text(run.effective().arms(static_cast<int>(pair.arm)).name());
    line.integer(int64_t{pair.repetition});
    line.integer(int64_t{pair.few_requests}).integer(pair.few_instructions);
    line.integer(int64_t{pair.many_requests}).integer(pair.many_instructions);
    line.real(pair.per_request());
    text += std::move(line).finish();
  }
  return text;
}

}  // namespace

double InstructionPair::per_request() const {
  return static_cast<double>(many_instructions - few_instructions) /
         static_cast<double>(many_requests - few_requests);
}

bool unvarying(const std::vector<InstructionPair>& pairs, size_t arms) {
  for (size_t arm = 0; arm < arms; ++arm) {
    if (!same(values_of(pairs, arm))) return false;
  }
  return true;
}

absl::Status judge_instructions(const std::vector<InstructionPair>& pairs, Run& run) {
  run.clear_verdicts();
  const std::vector<double> reference = values_of(pairs, 0);
  for (int arm = 1; arm < run.effective().arms_size(); ++arm) {
    const std::vector<double> values = values_of(pairs, static_cast<size_t>(arm));
    plan::Evidence evidence;
    evidence.metric = plan::instructions_metric();
    evidence.margin_ratio = run.effective().margin_percent() / 100;
    evidence.alpha = kAlpha;
    evidence.primary = true;
    for (size_t i = 0; i < std::min(values.size(), reference.size()); ++i) {
      evidence.rounds.push_back({static_cast<uint32_t>(i), reference[i], values[i]});
    }
    auto verdict = plan::judge(evidence);
    if (!verdict.ok()) return verdict.status();
    *run.add_verdicts() = verdict_message(*verdict, run.effective().arms(arm).name());
  }
  return absl::OkStatus();
}

std::string instructions_text(const Run& run) {
  std::string text;
  for (const Verdict& verdict : run.verdicts()) {
    const double difference = verdict.b() - verdict.a();
    absl::StrAppendFormat(&text, "instructions per request: %s %.2f, %s %.2f: %+.2f",
                          run.effective().arms(0).name(), verdict.a(), verdict.arm(), verdict.b(),
                          difference);
    if (verdict.has_estimate_percent()) {
      absl::StrAppendFormat(&text, " (%+.4f %%)", verdict.estimate_percent());
    }
    if (verdict.has_interval_low_percent() && verdict.verdict() != "exact") {
      absl::StrAppendFormat(&text, ", interval %+.4f to %+.4f %%", verdict.interval_low_percent(),
                            verdict.interval_high_percent());
    }
    absl::StrAppend(&text, "\n  verdict: ", verdict.verdict(), "; ", verdict.reason(), "\n");
  }
  for (const auto& arm : run.effective().arms()) {
    absl::StrAppend(&text, "  ", arm.name(), ": ", arm_text(arm), "\n");
  }
  for (const std::string& note : run.notes()) absl::StrAppend(&text, "note: ", note, "\n");
  return text;
}

absl::Status DeterministicAb::describe(Run& run) {
  grpc::ClientContext context;
  Interrupt::Call call(interrupt_, context);
  hotlap::v1::DescribeResponse host;
  absl::Status status = call_status(agent_.stub().Describe(&context, {}, &host), interrupt_);
  *run.mutable_environment() = host.environment();
  return status;
}

absl::StatusOr<int64_t> DeterministicAb::count(Run& run, size_t arm, uint32_t requests) {
  grpc::ClientContext context;
  Interrupt::Call call(interrupt_, context);
  hotlap::v1::InstructionsRequest request;
  *request.mutable_arm() = run.effective().arms(static_cast<int>(arm));
  *request.mutable_workload() = run.asked().workload();
  *request.mutable_placement() = run.asked().placement();
  request.mutable_placement()->set_share(true);  // nothing is timed
  request.set_requests(requests);
  hotlap::v1::InstructionsResponse response;
  absl::Status status =
      call_status(agent_.stub().CountInstructions(&context, request, &response), interrupt_);
  if (!status.ok()) return status;
  *run.mutable_effective()->mutable_workload() = response.effective();
  if (run.echoes_size() < run.effective().arms_size() &&
      run.echoes_size() == static_cast<int>(arm)) {
    auto* echo = run.add_echoes();
    echo->set_arm(request.arm().name());
    echo->set_asked(target_text(request.arm().target()));
    echo->set_pipeline(response.pipeline());
    echo->set_cpu_source("callgrind");
    if (!response.clock_runs().empty()) {
      run.add_notes(absl::StrCat("arm ", request.arm().name(), " sees the wall clock go on (",
                                 response.clock_runs(),
                                 "): what it does once a second is counted, and counts vary"));
    }
  }
  return response.instructions();
}

absl::Status DeterministicAb::repeat(Run& run, uint32_t repetition,
                                     std::vector<InstructionPair>& pairs) {
  const auto arms = static_cast<size_t>(run.effective().arms_size());
  for (size_t arm = 0; arm < arms; ++arm) {
    progress_.update(absl::StrCat("counting instructions of ",
                                  run.effective().arms(static_cast<int>(arm)).name(),
                                  ", repetition ", repetition + 1));
    InstructionPair pair{arm, repetition, kFewRequests, kManyRequests, 0, 0};
    auto few = count(run, arm, kFewRequests);
    if (!few.ok()) return few.status();
    auto many = count(run, arm, kManyRequests);
    if (!many.ok()) return many.status();
    pair.few_instructions = *few;
    pair.many_instructions = *many;
    if (*many <= *few) {
      return absl::DataLossError(
          absl::StrCat("arm ", run.effective().arms(static_cast<int>(arm)).name(), " executed ",
                       *many, " instructions for ", kManyRequests, " requests and ", *few, " for ",
                       kFewRequests, ": its start-up varies by more than its requests cost"));
    }
    pairs.push_back(pair);
  }
  return absl::OkStatus();
}

absl::StatusOr<Run> DeterministicAb::run(const hotlap::v1::Experiment& asked,
                                         const std::filesystem::path& out,
                                         const std::string& command) {
  const absl::Time begin = absl::Now();
  absl::Status status = record::make_run_directory(out);  // refused before a minute's work
  if (!status.ok()) return status;
  Run run;
  run.set_schema_version(record::kSchemaVersion);
  run.set_name(asked.name());
  run.set_created(absl::FormatTime(absl::RFC3339_sec, begin, absl::UTCTimeZone()));
  run.set_command(command);
  run.set_calibration("not needed: instructions are counted, not timed");
  *run.mutable_asked() = asked;
  *run.mutable_effective() = asked;
  if (!asked.has_margin_percent()) run.mutable_effective()->set_margin_percent(0.5);
  run.mutable_effective()->set_primary_metric(std::string(plan::instructions_metric().name));
  run.mutable_schedule()->set_plan("deterministic");
  for (const char* note : kBlindSpots) run.add_notes(note);
  status = describe(run);
  std::vector<InstructionPair> pairs;
  const auto arms = static_cast<size_t>(asked.arms_size());
  std::unique_ptr<record::RunDirectory> directory;
  for (uint32_t repetition = 0; status.ok() && repetition < kManyRepetitions; ++repetition) {
    if (repetition >= kFewRepetitions && unvarying(pairs, arms)) break;
    status = repeat(run, repetition, pairs);
    if (!status.ok() || directory != nullptr) continue;
    std::vector<std::string> names;
    for (const auto& arm : asked.arms()) names.push_back(arm.name());
    auto made = record::RunDirectory::create(out, names);
    if (!made.ok()) return made.status();
    directory = std::make_unique<record::RunDirectory>(*std::move(made));
  }
  if (directory == nullptr) {
    std::error_code left_as_it_is;
    std::filesystem::remove(out, left_as_it_is);
    return status;
  }
  if (status.ok()) status = judge_instructions(pairs, run);
  run.mutable_schedule()->set_rounds(static_cast<uint32_t>(pairs.size() / arms));
  run.set_elapsed_s(absl::ToDoubleSeconds(absl::Now() - begin));
  run.set_state(status.ok() ? "complete" : absl::IsCancelled(status) ? "interrupted" : "failed");
  if (run.state() == "failed") run.set_failure(std::string(status.message()));
  absl::Status written = record::replace_file(out / "instructions.csv", csv_of(pairs, run));
  if (written.ok()) written = directory->write_run(run);
  if (!status.ok()) return status;
  if (!written.ok()) return written;
  return run;
}

}  // namespace hotlap::cli
