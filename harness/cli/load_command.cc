// `hotlap load`: the load generator alone, closed or open loop.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "harness/cli/agent_process.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_code.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/load_export.h"
#include "harness/cli/load_flags.h"
#include "harness/cli/load_report.h"
#include "harness/cli/load_result.h"
#include "harness/cli/progress.h"
#include "harness/cli/python_report.h"
#include "harness/cli/rate_search.h"
#include "harness/cli/search_report.h"
#include "harness/cli/time_text.h"
#include "harness/record/file.h"

namespace hotlap::cli {
namespace {

using hotlap::v1::LoadRequest;
using hotlap::v1::LoadResponse;

constexpr std::chrono::seconds kStopPatience{1};

void print(const std::string& text) {
  fwrite(text.data(), 1, text.size(), stdout);
  fflush(stdout);
}

// " of 0:10", " of 5000 requests", or nothing where the log's length is the bound.
std::string bound_text(const LoadRequest& request) {
  if (request.duration_s() > 0) return absl::StrCat(" of ", duration_text(request.duration_s()));
  if (!request.has_requests()) return "";
  return absl::StrCat(" of ", count_text(request.requests()), " requests");
}

// What the last second was like.
std::string live_line(const LoadRequest& request, const LoadResponse& line,
                      const LoadResponse& before) {
  const double seconds = std::max(line.elapsed_s() - before.elapsed_s(), 1e-9);
  const auto ok = static_cast<double>(line.counts().ok() - before.counts().ok());
  const bool counts_down = request.has_requests() && request.duration_s() == 0;
  std::string text =
      absl::StrCat(counts_down ? count_text(line.counts().ok()) : duration_text(line.elapsed_s()),
                   bound_text(request), ": ", rate_text(ok / seconds), " requests/s");
  const auto& recent = line.recent();
  if (recent.has_response_p50_ns()) {
    absl::StrAppend(&text, ", p50 ", time_text(static_cast<double>(recent.response_p50_ns())));
  }
  if (recent.has_response_p99_ns()) {
    absl::StrAppend(&text, ", p99 ", time_text(static_cast<double>(recent.response_p99_ns())));
  }
  absl::StrAppend(&text, ", ", count_text(failures(line.counts())), " failed");
  return text;
}

// Reads the load's lines until its end; the last of them is the result.
LoadResponse follow(grpc::ClientReader<LoadResponse>& reader, const LoadRequest& request,
                    Progress& progress, SecondsCsv* csv) {
  LoadResponse line;
  LoadResponse before;
  while (reader.Read(&line)) {
    if (line.final()) return line;
    progress.update(live_line(request, line, before));
    if (csv != nullptr) csv->add(line);
    before = line;
  }
  return line;
}

// Ends the load that runs before its time, so that its result still comes. False when none runs.
bool stop_load(AgentProcess& agent) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kStopPatience);
  hotlap::v1::StopLoadResponse response;
  return agent.stub().StopLoad(&context, {}, &response).ok() && response.stopped();
}

absl::StatusOr<LoadResponse> load_with(AgentProcess& agent, Interrupt& interrupt,
                                       const LoadRequest& request, Progress& progress,
                                       SecondsCsv* csv) {
  grpc::ClientContext context;
  const Interrupt::Call call(interrupt, context, [&agent] { return stop_load(agent); });
  auto reader = agent.stub().Load(&context, request);
  LoadResponse last = follow(*reader, request, progress, csv);
  progress.clear();
  const grpc::Status status = reader->Finish();
  if (!status.ok()) return absl::UnknownError(status.error_message());
  return last;
}

// The exit code, and on standard error why it is not 0.
int verdict(const LoadResult& result) {
  const LoadResponse& line = result.line;
  if (!line.open_error().empty()) return fail(line.open_error());
  if (line.counts().ok() == 0 && failures(line.counts()) == 0) {
    return fail(absl::StrCat("no request of ", line.counts().started(), " was answered"));
  }
  const int64_t failed = failures(line.counts());
  const double allowed = line.effective().allowed_error_share();
  if (static_cast<double>(failed) <= allowed * static_cast<double>(line.counts().started())) {
    return kExitDone;
  }
  return fail(absl::StrCat(failed, " of ", line.counts().started(), " requests failed; the first: ",
                           line.first_failure(), " (--allow-errors accepts a share)"));
}

int interrupted(const LoadRequest& request, const LoadResult& result) {
  fail(absl::StrFormat("interrupted after %.2f s%s: the result is of that time",
                       result.line.sending_s(), bound_text(request)));
  return kExitInterrupted;
}

int run_once(const LoadFlags& flags, const LoadRequest& request) {
  std::optional<SecondsCsv> csv;
  if (!flags.csv_path.empty()) {
    auto created = SecondsCsv::create(flags.csv_path);
    if (!created.ok()) return fail(std::string(created.status().message()));
    csv = *std::move(created);
  }
  if (!flags.hgrm_path.empty()) {  // that it cannot be written is told before the load
    const absl::Status written = write_file(flags.hgrm_path, "");
    if (!written.ok()) return fail(std::string(written.message()));
  }
  Interrupt interrupt;
  auto agent = AgentProcess::start();
  if (!agent.ok()) return fail(std::string(agent.status().message()));
  Progress progress(flags.quiet ? Progress::Style::kSilent : Progress::style_of_stderr());
  auto last = load_with(**agent, interrupt, request, progress, csv ? &*csv : nullptr);
  if (!last.ok() && interrupt.raised()) return kExitInterrupted;
  if (!last.ok()) return fail(std::string(last.status().message()));
  const LoadResult result(*std::move(last));
  const std::string text = flags.json ? load_json(flags, result) : load_text(flags, result);
  print(text);
  if (!flags.hgrm_path.empty()) {
    const absl::Status written = write_file(flags.hgrm_path, hgrm_text(result.response));
    if (!written.ok()) return fail(std::string(written.message()));
  }
  if (csv) {
    const absl::Status written = csv->close();
    if (!written.ok()) return fail(std::string(written.message()));
  }
  return interrupt.raised() ? interrupted(request, result) : verdict(result);
}

// The search as a directory: its numbers, and the page that draws them.
absl::Status keep_search(const LoadFlags& flags, const std::string& json) {
  absl::Status status =
      record::replace_file(std::filesystem::path(flags.out_path) / "search.json", json);
  if (status.ok()) status = run_analysis({"search", flags.out_path}, /*quiet=*/true);
  if (status.ok() && !flags.json) print(absl::StrCat("\npage: ", flags.out_path, "/search.html\n"));
  return status;
}

int run_search(const LoadFlags& flags, LoadRequest request, const std::string& command) {
  auto promise = parse_promise(flags.promise);
  if (!promise.ok()) return fail(std::string(promise.status().message()));
  if (!flags.out_path.empty()) {
    const absl::Status made = record::make_run_directory(flags.out_path);
    if (!made.ok()) return fail(std::string(made.message()));
  }
  Interrupt interrupt;
  auto agent = AgentProcess::start();
  if (!agent.ok()) return fail(std::string(agent.status().message()));
  Progress progress(flags.quiet ? Progress::Style::kSilent : Progress::style_of_stderr());
  SearchReport report(flags, *promise);
  std::string failure;  // the last
  RateSearch search(request.open().rate_per_s(), promise->least_rate_per_s(request.duration_s()));
  if (!flags.json) print(report.head());
  while (!search.done()) {
    request.mutable_open()->set_rate_per_s(search.next_per_s());
    auto last = load_with(**agent, interrupt, request, progress, nullptr);
    // A load that was cut short proves nothing of its rate; those before it do.
    if (interrupt.raised()) break;
    if (!last.ok()) return fail(std::string(last.status().message()));
    const LoadResult result(*std::move(last));
    if (!result.line.open_error().empty()) return fail(result.line.open_error());
    const bool kept = promise->kept_by(result);
    if (!result.line.first_failure().empty()) failure = result.line.first_failure();
    const std::string row = report.add(result, kept);
    if (!flags.json) print(row);
    search.tried(kept);
  }
  const std::string json = report.json(search, command);
  print(flags.json ? json : report.conclusion(search));
  if (!flags.out_path.empty() && !report.empty()) {
    const absl::Status kept = keep_search(flags, json);
    if (!kept.ok()) return fail(std::string(kept.message()));
  }
  if (interrupt.raised()) {
    fail("the search was interrupted: the result is what was found by then");
    return kExitInterrupted;
  }
  if (search.highest_kept_per_s()) return kExitDone;
  return fail(absl::StrCat("not even ", rate_text(*search.lowest_broken_per_s()),
                           " requests/s kept ", promise->text,
                           failure.empty() ? "; with a longer --duration lower rates can be judged"
                                           : "; requests failed: " + failure));
}

int run_load(const LoadFlags& flags, const std::string& command) {
  auto request = flags.request();
  if (!request.ok()) return fail(std::string(request.status().message()));
  return flags.promise.empty() ? run_once(flags, *request) : run_search(flags, *request, command);
}

}  // namespace

void add_load_command(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("load", "load a running server, closed or open loop");
  command->footer(
      "Example: hotlap load -t 1 -c 64 -d 10s http://127.0.0.1:8080/hello\n"
      "Example: hotlap load -c 64 -d 30s -R 5000 --arrivals poisson http://[::1]:8080/hello\n"
      "Example: hotlap load -c 64 --ca ca.pem -X POST --body-size 64k https://localhost:8443/echo\n"
      "Example: hotlap load --max-rate-within 'p99<5ms' -d 5s --out curve http://127.0.0.1:8080/\n"
      "Example: hotlap load --ids random:1..1000000 'http://127.0.0.1:8080/item/{id}'\n"
      "Example: hotlap load --replay access.log --replay-speed 2x http://127.0.0.1:8080/\n"
      "Ctrl-C ends a load before its time; what was measured is printed all the same.");
  auto flags = std::make_shared<LoadFlags>();
  flags->add_to(*command);
  command->callback(
      [flags, &invocation] { invocation.exit_code = run_load(*flags, invocation.command_line()); });
}

}  // namespace hotlap::cli
