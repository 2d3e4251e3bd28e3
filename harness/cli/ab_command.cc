// `hotlap ab` and `hotlap run`: an experiment from flags or from a file, run to its verdict.
#include <fcntl.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/text_format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "harness/cli/agent_process.h"
#include "harness/cli/commands.h"
#include "harness/cli/controller.h"
#include "harness/cli/deterministic_ab.h"
#include "harness/cli/exit_code.h"
#include "harness/cli/experiment_flags.h"
#include "harness/cli/python_report.h"
#include "harness/cli/summary.h"
#include "harness/profile/profile_text.h"

namespace hotlap::cli {
namespace {

using hotlap::v1::Experiment;

struct OutputFlags {
  std::string out;
  std::string gate;
  bool json = false;
  bool no_report = false;
  bool quiet = false;

  void add_to(CLI::App& command) {
    command.add_option("--out", out, "the run directory (default results/run-TIME-NAME)");
    command.add_flag("--json", json, "print one JSON object in place of the table");
    command
        .add_option("--gate", gate,
                    "exit 1 on a confirmed regression, 2 when undecided or uncalibrated; "
                    "--gate=uncalibrated-ok applies the verdict all the same")
        ->expected(0, 1)
        ->default_str("on")
        ->check(CLI::IsMember({"on", "uncalibrated-ok"}));
    command.add_flag("--no-report", no_report, "write the data only, no report");
    command.add_flag("--quiet", quiet, "no progress on standard error");
  }

  Gate gate_kind(const CLI::App& command) const {
    if (command.count("--gate") == 0) return Gate::kOff;
    return gate == "uncalibrated-ok" ? Gate::kUncalibratedOk : Gate::kOn;
  }
};

absl::StatusOr<Experiment> read_experiment(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::NotFoundError(absl::StrCat("cannot read the experiment ", path));
  google::protobuf::io::FileInputStream stream(fd);
  stream.SetCloseOnDelete(true);

  class Errors : public google::protobuf::io::ErrorCollector {
   public:
    void AddError(int line, int column, const std::string& message) override {
      if (text.empty()) text = absl::StrCat(line + 1, ":", column + 1, ": ", message);
    }
    std::string text;
  } errors;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  Experiment experiment;
  const bool parsed = parser.Parse(&stream, &experiment);
  if (stream.GetErrno() != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot read the experiment ", path, ": ", strerror(stream.GetErrno())));
  }
  if (!parsed) {
    return absl::InvalidArgumentError(absl::StrCat(path, ":", errors.text));
  }
  return experiment;
}

void print_ending(const RunOutcome& outcome, const OutputFlags& flags, bool reported) {
  if (flags.json) {
    fputs(
        json_summary(outcome.run, outcome.directory.string(), outcome.profile.has_value()).c_str(),
        stdout);
    return;
  }
  if (outcome.run.verdicts_size() > 0) {
    printf("\n%s", text_summary(outcome.run).c_str());
  }
  if (outcome.profile) {
    printf("\nwhere the CPU time went, by a profile of %s and %s%s\n",
           outcome.profile->arms(0).arm().c_str(), outcome.profile->arms(1).arm().c_str(),
           profile::stages_text(*outcome.profile).c_str());
    for (const auto& view : outcome.profile->views()) {
      printf("view of %s: profile.txt and profile.html\n", view.name().c_str());
    }
  }
  if (reported) {
    printf("report: %s\n", (outcome.directory / "report.html").c_str());
  } else {
    printf("run: %s\n", outcome.directory.c_str());
  }
}

int run_deterministic(const Experiment& experiment, const OutputFlags& flags, Gate gate,
                      const Invocation& invocation) {
  Interrupt interrupt;
  Progress progress(flags.quiet ? Progress::Style::kSilent : Progress::style_of_stderr());
  auto agent = AgentProcess::start();
  if (!agent.ok()) return fail(std::string(agent.status().message()));
  const std::filesystem::path out = flags.out.empty() ? default_run_directory(experiment.name())
                                                      : std::filesystem::path(flags.out);
  auto run =
      DeterministicAb(**agent, interrupt, progress).run(experiment, out, invocation.command_line());
  agent->reset();
  progress.clear();
  if (absl::IsCancelled(run.status())) return kExitInterrupted;
  if (!run.ok()) return fail(std::string(run.status().message()));
  if (flags.json) {
    fputs(json_summary(*run, out.string()).c_str(), stdout);
  } else {
    printf("%srun: %s\n", instructions_text(*run).c_str(), out.c_str());
  }
  // Counts need no ledger of the machine's noise.
  return gate_exit_code(*run, gate == Gate::kOn ? Gate::kUncalibratedOk : gate);
}

int run_experiment(const Experiment& experiment, const OutputFlags& flags, Gate gate,
                   const Invocation& invocation) {
  Interrupt interrupt;
  Progress progress(flags.quiet ? Progress::Style::kSilent : Progress::style_of_stderr());
  auto agent = AgentProcess::start();
  if (!agent.ok()) return fail(std::string(agent.status().message()));
  const std::filesystem::path out = flags.out.empty() ? default_run_directory(experiment.name())
                                                      : std::filesystem::path(flags.out);
  Controller controller(**agent, interrupt, progress);
  const RunOutcome outcome = controller.run(experiment, out, invocation.command_line());
  agent->reset();
  progress.clear();
  const bool interrupted = absl::IsCancelled(outcome.status);
  if (outcome.directory.empty()) {
    return interrupted ? kExitInterrupted : fail(std::string(outcome.status.message()));
  }
  bool reported = false;
  if (!flags.no_report && outcome.run.schedule().rounds() > 0) {
    progress.update("drawing the report");
    const absl::Status report = run_analysis({"report", outcome.directory.string()}, true);
    progress.clear();
    reported = report.ok();
    if (!report.ok()) {
      fprintf(stderr, "hotlap: no report: %s; the data are in %s\n",
              std::string(report.message()).c_str(), outcome.directory.c_str());
    }
  }
  print_ending(outcome, flags, reported);
  if (interrupted) {
    fprintf(stderr, "hotlap: interrupted; the finished rounds are in %s\n",
            outcome.directory.c_str());
    return kExitInterrupted;
  }
  if (!outcome.status.ok()) return fail(std::string(outcome.status.message()));
  return gate_exit_code(outcome.run, gate);
}

}  // namespace

void add_ab_command(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("ab", "compare two or more targets");
  command->footer(
      "TARGET is a profile and changes to it (fast,address=lazy), server:NAME, cmd:COMMAND with\n"
      "{port}, or url:URL. The first target is the reference.\n"
      "Examples:\n"
      "  hotlap ab --base fast --stage request_line=regex,scalar\n"
      "  hotlap ab --a server:asio --b fast --plan fixed:24 --request '/echo?size=1000'\n"
      "  hotlap ab --base fast --stage request_line=regex,scalar --deterministic --gate\n"
      "  hotlap ab --a fast --b baseline --rate 5000 --arrivals poisson --passes 6\n"
      "  hotlap ab --base fast --stage request_line=regex,scalar --profile\n"
      "  hotlap ab --a 'cmd:./old --port {port}' --b 'cmd:./new --port {port}' --gate");
  auto experiment_flags = std::make_shared<ExperimentFlags>();
  auto output_flags = std::make_shared<OutputFlags>();
  auto deterministic = std::make_shared<bool>(false);
  experiment_flags->add_to(*command);
  output_flags->add_to(*command);
  command->add_flag("--deterministic", *deterministic,
                    "count instructions per request under callgrind in place of timing: exact, the "
                    "same on a busy machine, and blind to the kernel and to caches");
  command->callback([command, experiment_flags, output_flags, deterministic, &invocation] {
    auto experiment = experiment_flags->experiment();
    if (!experiment.ok()) {
      invocation.exit_code = fail(std::string(experiment.status().message()));
      return;
    }
    for (const auto& [flag, asked] : {std::pair{"--rate", experiment->has_open_passes()},
                                      std::pair{"--counters", experiment->counters_size() > 0},
                                      std::pair{"--profile", experiment->has_profile_pass()}}) {
      if (!*deterministic || !asked) continue;
      invocation.exit_code =
          fail(absl::StrCat(flag, " would have no effect: --deterministic times nothing"));
      return;
    }
    const Gate gate = output_flags->gate_kind(*command);
    invocation.exit_code = *deterministic
                               ? run_deterministic(*experiment, *output_flags, gate, invocation)
                               : run_experiment(*experiment, *output_flags, gate, invocation);
  });
}

void add_run_command(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("run", "run an experiment that a file declares");
  command->footer(
      "The file is a textproto of hotlap.v1.Experiment (harness/proto/experiment.proto).\n"
      "Example: hotlap run harness/experiments/request_line.textproto");
  auto path = std::make_shared<std::string>();
  auto output_flags = std::make_shared<OutputFlags>();
  command->add_option("FILE", *path, "the experiment")->required();
  output_flags->add_to(*command);
  command->callback([command, path, output_flags, &invocation] {
    auto experiment = read_experiment(*path);
    if (!experiment.ok()) {
      invocation.exit_code = fail(std::string(experiment.status().message()));
      return;
    }
    if (experiment->name().empty()) {
      experiment->set_name(std::filesystem::path(*path).stem().string());
    }
    invocation.exit_code =
        run_experiment(*experiment, *output_flags, output_flags->gate_kind(*command), invocation);
  });
}

}  // namespace hotlap::cli
