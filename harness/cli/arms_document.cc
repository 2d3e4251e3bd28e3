// See arms_document.h.
#include "harness/cli/arms_document.h"

#include <google/protobuf/util/json_util.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "harness/cli/controller.h"
#include "harness/cli/python_report.h"
#include "harness/cli/target_grammar.h"

namespace hotlap::cli {
namespace {

absl::StatusOr<std::vector<std::string>> targets_of(const ArmsDocumentFlags& flags,
                                                    const std::string& verb) {
  if (!flags.target.empty() && flags.a.empty() && flags.b.empty()) {
    return std::vector<std::string>{flags.target};
  }
  if (flags.target.empty() && !flags.a.empty() && !flags.b.empty()) {
    return std::vector<std::string>{flags.a, flags.b};
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "nothing to ", verb, ": give one TARGET, or --a TARGET --b TARGET for a comparison"));
}

}  // namespace

void ArmsDocumentFlags::add_targets_to(CLI::App& command, const std::string& verb) {
  command.add_option("TARGET", target, absl::StrCat("what to ", verb));
  command.add_option("-a,--a", a, "target A, the reference");
  command.add_option("-b,--b", b, "target B");
}

void ArmsDocumentFlags::add_rest_to(CLI::App& command, const std::string& verb) {
  command.add_option("--out", out,
                     absl::StrCat("the directory to write (default results/run-…-", verb, ")"));
  command.add_flag("--json", json, absl::StrCat("print ", verb, ".json in place of the text"));
  command.add_flag("--no-report", no_report, "write data and texts only, no page");
  command.add_flag("--quiet", quiet, "no progress on standard error");
  own.add_to(command, /*for_runs=*/false);
  workload.add_to(command);
  placement.add_to(command);
}

absl::StatusOr<Arms> ArmsDocumentFlags::arms(const std::string& verb) const {
  auto targets = targets_of(*this, verb);
  if (!targets.ok()) return targets.status();
  Arms arms;
  for (const std::string& text : *targets) {
    auto parsed = parse_target(text);
    if (!parsed.ok()) return parsed.status();
    auto* arm = arms.Add();
    arm->set_name(std::string(1, static_cast<char>('a' + arms.size() - 1)));
    *arm->mutable_target() = *std::move(parsed);
  }
  const absl::Status applied = own.apply(arms);
  if (!applied.ok()) return applied;
  return arms;
}

std::filesystem::path ArmsDocumentFlags::directory(const std::string& verb) const {
  return out.empty() ? default_run_directory(verb) : std::filesystem::path(out);
}

absl::StatusOr<hotlap::v1::Environment> describe_host(AgentProcess& agent, Interrupt& interrupt) {
  grpc::ClientContext context;
  const Interrupt::Call call(interrupt, context);
  hotlap::v1::DescribeResponse host;
  const absl::Status status = call_status(agent.stub().Describe(&context, {}, &host), interrupt);
  if (!status.ok()) return status;
  return std::move(*host.mutable_environment());
}

absl::StatusOr<std::string> document_json(const google::protobuf::Message& message,
                                          const std::string& verb) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string json;
  if (!google::protobuf::util::MessageToJsonString(message, &json, options).ok()) {
    return absl::InternalError(
        absl::StrCat("cannot print ", verb, ".json: a text in it is not UTF-8"));
  }
  return json;
}

void show_document(const ArmsDocumentFlags& flags, const std::string& verb,
                   const std::filesystem::path& directory, const std::string& json,
                   const std::string& text) {
  bool reported = false;
  if (!flags.no_report) {
    const absl::Status report = run_analysis({verb, directory.string()}, true);
    reported = report.ok();
    if (!reported) {
      fprintf(stderr, "hotlap: no page: %s; the data are in %s\n",
              std::string(report.message()).c_str(), directory.c_str());
    }
  }
  if (flags.json) {
    fputs(json.c_str(), stdout);
    return;
  }
  fputs(text.c_str(), stdout);
  const std::filesystem::path shown = reported ? directory / (verb + ".html") : directory;
  printf("\n%s: %s\n", verb.c_str(), shown.c_str());
}

}  // namespace hotlap::cli
