// Flags to messages; see experiment_flags.h.
#include "harness/cli/experiment_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "harness/agent/file_text.h"
#include "harness/cli/target_grammar.h"

namespace hotlap::cli {
namespace {

constexpr uint32_t kMaxCpu = 4095;

absl::StatusOr<hotlap::v1::Header> parse_header(const std::string& text) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--header \"", text, "\" must read \"Name: value\""));
  }
  hotlap::v1::Header header;
  header.set_name(text.substr(0, colon));
  for (const char* made : {"Content-Length", "Transfer-Encoding"}) {
    if (!absl::EqualsIgnoreCase(header.name(), made)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--header \"", text, "\": ", made, " follows from the body (--body)"));
  }
  header.set_value(std::string(absl::StripAsciiWhitespace(text.substr(colon + 1))));
  return header;
}

// "@file" names a file; anything else is the body itself.
absl::StatusOr<std::string> parse_body(const std::string& text) {
  if (!absl::StartsWith(text, "@")) return text;
  return agent::read_file("--body", text.substr(1));
}

}  // namespace

void WorkloadFlags::add_to(CLI::App& command) {
  // One word each: what follows may be a positional argument.
  command
      .add_option("--request", requests,
                  "what to ask, \"METHOD TARGET\" or a target; more than one are sent in turn "
                  "(default: GET /hello)")
      ->allow_extra_args(false);
  command.add_option("-H,--header", headers, "a header for every request, \"Name: value\"")
      ->allow_extra_args(false);
  command.add_option("--body", body, "body of every request, or @FILE");
  command.add_option("-c,--connections", connections, "connections per arm (default 16)");
  command.add_option("-t,--threads", threads, "load threads (default 1)");
  command.add_option("--pipeline", pipeline, "requests in flight on one connection (default 1)");
  command.add_option("--timeout-ms", timeout_ms, "a later reply is an error (default 5000)");
  command.add_option("--expect-status", expect_status, "the right status (default 200)");
  command.add_option("--allow-errors", allow_errors,
                     "share of requests that may fail, below 1 (default 0)");
  command.add_flag("--any-body", any_body, "bodies may differ from reply to reply");
  command.add_flag("--close", close, "a new connection for every request");
}

absl::StatusOr<hotlap::v1::Workload> WorkloadFlags::workload() const {
  hotlap::v1::Workload workload;
  std::vector<std::string> asked = requests;
  if (asked.empty() && (!headers.empty() || !body.empty() || expect_status || any_body)) {
    asked.push_back("/hello");
  }
  auto body_bytes = parse_body(body);
  if (!body_bytes.ok()) return body_bytes.status();
  for (const std::string& text : asked) {
    auto* request = workload.add_requests();
    const std::vector<std::string> words = absl::StrSplit(text, ' ', absl::SkipEmpty());
    if (words.empty() || words.size() > 2) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--request \"", text, "\" must be a target (/hello) or a method and a target"));
    }
    if (words.size() == 2) request->set_method(words[0]);
    request->set_target(words.back());
    if (expect_status) request->set_expected_status(*expect_status);
    request->set_body(*body_bytes);
    request->set_any_body(any_body);
    for (const std::string& line : headers) {
      auto header = parse_header(line);
      if (!header.ok()) return header.status();
      *request->add_headers() = *std::move(header);
    }
  }
  if (connections) workload.set_connections(*connections);
  if (threads) workload.set_threads(*threads);
  if (timeout_ms) workload.set_timeout_ms(*timeout_ms);
  if (pipeline) workload.set_pipeline(*pipeline);
  if (allow_errors) workload.set_allowed_error_share(*allow_errors);
  if (close) workload.set_keep_alive(false);
  return workload;
}

void PlacementFlags::add_to(CLI::App& command) {
  command.add_option("--server-cpus", server_cpus, "CPUs of the servers, as 0,2-3");
  command.add_option("--load-cpus", load_cpus, "CPUs of the load threads");
  command.add_flag("--share-cpus", share, "let servers and load share CPUs");
}

absl::StatusOr<hotlap::v1::Placement> PlacementFlags::placement() const {
  hotlap::v1::Placement placement;
  auto servers = parse_cpu_list(server_cpus);
  if (!servers.ok()) return servers.status();
  auto load = parse_cpu_list(load_cpus);
  if (!load.ok()) return load.status();
  placement.mutable_server_cpus()->Add(servers->begin(), servers->end());
  placement.mutable_load_cpus()->Add(load->begin(), load->end());
  placement.set_share(share);
  return placement;
}

void PlanFlags::add_to(CLI::App& command) {
  command.add_option("--plan", plan, "when to stop: quick, ci or fixed:N rounds")
      ->default_str("quick");
  command.add_option("--slice-ms", slice_ms, "length of a slice (default 5 at 16 connections)");
  command.add_option("--sets", sets, "connection sets a round (default 4)");
  command.add_option("--set-ms", set_ms, "timed load a set, all arms together (default 200)");
  command.add_option("--warmup-ms", warmup_ms, "untimed load before each set (default 100)");
}

absl::StatusOr<hotlap::v1::Plan> PlanFlags::plan_message() const {
  auto message = parse_plan(plan);
  if (!message.ok()) return message;
  if (slice_ms) message->set_slice_ms(*slice_ms);
  if (sets) message->set_sets(*sets);
  if (set_ms) message->set_set_ms(*set_ms);
  if (warmup_ms) message->set_warmup_ms(*warmup_ms);
  return message;
}

void ExperimentFlags::add_to(CLI::App& command) {
  command.add_option("--stage", stage,
                     "compare variants of one stage, as request_line=regex,scalar; the first is "
                     "the reference");
  command.add_option("--base", base, "the pipeline around that stage (default baseline)");
  command.add_option("-a,--a", a, "target A, the reference");
  command.add_option("-b,--b", b, "target B");
  command.add_option("--arm", more_arms, "a further target");
  command.add_option("--name", name, "name of the experiment");
  command.add_option("--seed", seed, "seed of every draw (default: drawn, and recorded)");
  command.add_option(
      "--margin", margin_percent,
      "margin of equivalence in per cent, of the primary metric and its like (default 0.5, of "
      "latencies 1 to 5)");
  command.add_option("--metric", metric, "the primary metric (default cpu_per_request)");
  command.add_flag("--no-verify", no_verify, "time without the proof that the arms answer alike");
  command.add_flag("--no-counting", no_counting, "leave the counting pass out");
  command.add_option("--counters", counters,
                     "perf events to count a request, as EVENT,EVENT: libpfm4's names, page-faults "
                     "and other software events, tracepoints as sched:sched_switch (default "
                     "instructions, cycles, branch-misses, cache-misses, where the machine has "
                     "them)");
  arms.add_to(command, true);
  plan.add_to(command);
  open.add_to(command,
              "after the rounds, load each arm in an open loop at so many requests a second: the "
              "tail of its response times");
  command.add_option("--passes", passes,
                     "with --rate: of each arm, in a drawn order (default 2; from 6 on the arms "
                     "are compared)");
  command.add_option("--pass-s", pass_s, "with --rate: length of a pass (default 5)");
  command.add_flag("--profile", profile,
                   "after the rounds, sample the reference and the arm that differs most from it: "
                   "which stages and functions make the difference");
  command.add_option("--profile-s", profile_s, "with --profile: seconds of each arm (default 5)");
  command.add_flag("--off-cpu", off_cpu, "with --profile: also where threads wait");
  command.add_flag("--heap", heap, "with --profile: also what is allocated");
  stream.add_to(command);
  workload.add_to(command);
  placement.add_to(command);
}

absl::Status ExperimentFlags::add_open_passes(hotlap::v1::Experiment& experiment) const {
  absl::Status status = open.check(open.asked());
  if (!status.ok()) return status;
  if (!open.asked()) {
    const std::string why = "open-loop passes are asked for by --rate";
    if (passes) return no_effect("--passes", why);
    if (pass_s) return no_effect("--pass-s", why);
    return absl::OkStatus();
  }
  if (open.recorded() && stream.replay_path.empty()) {
    return no_effect("--replay-speed", "it belongs to --replay");
  }
  auto loop = open.loop(0);
  if (!loop.ok()) return loop.status();
  auto& message = *experiment.mutable_open_passes();
  *message.mutable_loop() = *std::move(loop);
  if (passes) message.set_passes(*passes);
  if (pass_s) message.set_pass_s(*pass_s);
  return absl::OkStatus();
}

absl::Status ExperimentFlags::add_profile_pass(hotlap::v1::Experiment& experiment) const {
  if (!profile) {
    const std::string why = "it belongs to --profile";
    if (profile_s) return no_effect("--profile-s", why);
    if (off_cpu) return no_effect("--off-cpu", why);
    if (heap) return no_effect("--heap", why);
    return absl::OkStatus();
  }
  auto& message = *experiment.mutable_profile_pass();
  if (profile_s) message.set_duration_s(*profile_s);
  message.set_off_cpu(off_cpu);
  message.set_heap(heap);
  return absl::OkStatus();
}

absl::StatusOr<hotlap::v1::Experiment> ExperimentFlags::experiment() const {
  std::vector<std::string> targets;
  if (base && stage.empty()) {
    return absl::InvalidArgumentError(
        "--base is the pipeline around --stage, which is absent: write it into --a and --b, as in "
        "--a fast,address=lazy");
  }
  if (!stage.empty()) {
    if (!a.empty() || !b.empty()) {
      return absl::InvalidArgumentError("give either --stage or --a and --b, not both");
    }
    auto expanded = expand_stage(stage, base.value_or("baseline"));
    if (!expanded.ok()) return expanded.status();
    targets = *std::move(expanded);
  } else if (a.empty() || b.empty()) {
    return absl::InvalidArgumentError(
        "nothing to compare: give --stage request_line=regex,scalar, or --a TARGET --b TARGET");
  } else {
    targets = {a, b};
  }
  targets.insert(targets.end(), more_arms.begin(), more_arms.end());
  hotlap::v1::Experiment experiment;
  for (size_t i = 0; i < targets.size(); ++i) {
    auto* arm = experiment.add_arms();
    arm->set_name(i < 26 ? std::string(1, static_cast<char>('a' + i)) : absl::StrCat("arm", i));
    auto target = parse_target(targets[i]);
    if (!target.ok()) return target.status();
    *arm->mutable_target() = *std::move(target);
  }
  const absl::Status environments = arms.apply(*experiment.mutable_arms());
  if (!environments.ok()) return environments;
  auto work = workload.workload();
  if (!work.ok()) return work.status();
  if (!stream.replay_path.empty() && !workload.requests.empty()) {
    return no_effect("--request", "--replay names what to ask");
  }
  absl::Status status = stream.apply(*work);
  if (!status.ok()) return status;
  *experiment.mutable_workload() = *std::move(work);
  status = add_open_passes(experiment);
  if (status.ok()) status = add_profile_pass(experiment);
  if (!status.ok()) return status;
  auto where = placement.placement();
  if (!where.ok()) return where.status();
  *experiment.mutable_placement() = *std::move(where);
  auto when = plan.plan_message();
  if (!when.ok()) return when.status();
  *experiment.mutable_plan() = *std::move(when);
  experiment.set_name(name.empty() ? "ab" : name);
  experiment.set_primary_metric(metric);
  experiment.set_skip_verify(no_verify);
  experiment.set_skip_counting(no_counting);
  for (const absl::string_view event : absl::StrSplit(counters, ',', absl::SkipEmpty())) {
    experiment.add_counters(std::string(absl::StripAsciiWhitespace(event)));
  }
  if (!counters.empty() && experiment.counters_size() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--counters \"", counters, "\" names no event: as in page-faults,cycles"));
  }
  if (!seed.empty()) {
    uint64_t number = 0;
    if (!absl::SimpleAtoi(seed, &number)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--seed \"", seed, "\" must be a whole number from 0 to 2^64 - 1"));
    }
    experiment.set_seed(number);
  }
  if (margin_percent) experiment.set_margin_percent(*margin_percent);
  return experiment;
}

absl::StatusOr<std::vector<uint32_t>> parse_cpu_list(const std::string& text) {
  std::vector<uint32_t> cpus;
  const std::vector<std::string> parts = absl::StrSplit(text, ',', absl::SkipEmpty());
  for (const std::string& part : parts) {
    const std::vector<std::string> ends = absl::StrSplit(part, '-');
    uint32_t low = 0;
    uint32_t high = 0;
    if (ends.size() > 2 || !absl::SimpleAtoi(ends.front(), &low) ||
        !absl::SimpleAtoi(ends.back(), &high) || high < low || high > kMaxCpu) {
      return absl::InvalidArgumentError(absl::StrCat("CPU list \"", text, "\" must read as 0,2-3"));
    }
    for (uint32_t cpu = low; cpu <= high; ++cpu) cpus.push_back(cpu);
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

absl::StatusOr<hotlap::v1::Plan> parse_plan(const std::string& text) {
  hotlap::v1::Plan plan;
  uint32_t rounds = 0;
  if (text == "quick") {
    plan.set_kind(hotlap::v1::Plan::QUICK);
  } else if (text == "ci") {
    plan.set_kind(hotlap::v1::Plan::CI);
  } else if (absl::StartsWith(text, "fixed:") && absl::SimpleAtoi(text.substr(6), &rounds) &&
             rounds > 0) {
    plan.set_kind(hotlap::v1::Plan::FIXED);
    plan.set_rounds(rounds);
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("plan \"", text, "\" is not one of quick, ci, fixed:N (N rounds)"));
  }
  return plan;
}

}  // namespace hotlap::cli
