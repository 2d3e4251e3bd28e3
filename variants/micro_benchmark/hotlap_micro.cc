// hotlap-micro: every variant of the stages that can be called alone, on realistic inputs, from the
// registry. Each answer is compared with the reference variant's before anything is timed. What a
// stage saves here and what it saves in a server often disagree: `hotlap ab` tells the latter.
// Exit code 0, or 3 where a variant answers otherwise than its reference or figures were not saved.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <utility>

#include "harness/capture/machine_facts.h"
#include "harness/record/micro_figures.h"
#include "variants/micro_benchmark/figure_reporter.h"
#include "variants/micro_benchmark/stages.h"

namespace hotlap::variants {
namespace {

constexpr int kExitError = 3;
constexpr char kSaveFlag[] = "--save";

void print_help() {
  std::printf(
      "hotlap-micro: the variants of every stage that can be called alone, timed.\n\n"
      "Example: hotlap-micro --benchmark_filter=request_line --save\n\n"
      "  --save    keep the figures of this run for `hotlap variants` to show, in\n"
      "            $XDG_STATE_HOME/hotlap or ~/.local/state/hotlap, in place of those before\n\n"
      "and the flags of Google Benchmark:\n\n");
  benchmark::PrintDefaultHelp();
}

// Takes the flag out of the arguments where it is among them.
bool take_flag(int& argc, char** argv, const char* flag) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], flag) != 0) continue;
    for (int j = i; j + 1 < argc; ++j) argv[j] = argv[j + 1];
    --argc;
    return true;
  }
  return false;
}

int save(std::vector<record::MicroFigure> measured) {
  record::MicroFigures figures;
  figures.cpu_model = capture::read_machine_facts().cpu_model;
  figures.measured_at_unix_s = std::time(nullptr);
  figures.figures = std::move(measured);
  const auto path = record::micro_figures_path();
  const absl::Status saved =
      path.ok() ? record::write_micro_figures(*path, figures) : path.status();
  if (saved.ok()) {
    std::fprintf(stderr, "hotlap-micro: %zu figures saved in %s\n", figures.figures.size(),
                 path->c_str());
    return 0;
  }
  std::fprintf(stderr, "hotlap-micro: %s\n", std::string(saved.message()).c_str());
  return kExitError;
}

int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv, print_help);
  const bool wants_saving = take_flag(argc, argv, kSaveFlag);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return kExitError;
  const LoopCounters counters;
  if (!counters.why_absent().empty()) {
    benchmark::AddCustomContext("not_counted", counters.why_absent());
  }
  add_head_stages(counters);
  add_reply_stages(counters);
  add_memory_stages(counters);

  // The library gives it without an owner.
  std::unique_ptr<benchmark::BenchmarkReporter> display{benchmark::CreateDefaultDisplayReporter()};
  FigureReporter reporter{std::move(display)};
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
  for (const std::string& refused : reporter.refused()) {
    std::fprintf(stderr, "hotlap-micro: %s\n", refused.c_str());
  }
  if (!reporter.refused().empty()) return kExitError;
  return wants_saving ? save(reporter.figures()) : 0;
}

}  // namespace
}  // namespace hotlap::variants

int main(int argc, char** argv) { return hotlap::variants::run(argc, argv); }
