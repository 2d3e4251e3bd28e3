#include "variants/micro_benchmark/figure_reporter.h"

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>

#include "variants/micro_benchmark/measure.h"

namespace hotlap::variants {
namespace {

using Run = benchmark::BenchmarkReporter::Run;
using record::MicroFigure;

constexpr double kNsPerSecond = 1e9;

std::optional<double> counter(const Run& run, const char* name) {
  const auto found = run.counters.find(name);
  if (found == run.counters.end()) return std::nullopt;
  return found->second.value;
}

// Its name is stage/variant/input, see stages.h.
MicroFigure figure_of(const std::string& name, const Run& run) {
  MicroFigure figure;
  std::istringstream parts(name);
  std::getline(parts, figure.stage, '/');
  std::getline(parts, figure.variant, '/');
  std::getline(parts, figure.input, '/');
  // The adjusted time is in the unit in which it is displayed.
  figure.cpu_ns =
      run.GetAdjustedCPUTime() * kNsPerSecond / benchmark::GetTimeUnitMultiplier(run.time_unit);
  figure.allocations = counter(run, kAllocationsCounter).value_or(0);
  figure.instructions = counter(run, "instructions");
  figure.cycles = counter(run, "cycles");
  figure.branch_misses = counter(run, "branch_misses");
  return figure;
}

}  // namespace

void FigureReporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    const std::string& name = run.run_name.function_name;
    if (run.error_occurred) {
      refused_.push_back(name + ": " + run.error_message);
    } else if (run.run_type == Run::RT_Iteration) {
      if (!samples_.contains(name)) names_.push_back(name);
      samples_[name].push_back(figure_of(name, run));
    }
  }
  display_->ReportRuns(runs);
}

std::vector<MicroFigure> FigureReporter::figures() const {
  std::vector<MicroFigure> figures;
  std::set<std::string> stages;
  std::string typical_input;
  for (const std::string& name : names_) {
    std::vector<MicroFigure> samples = samples_.at(name);
    const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
    std::nth_element(
        samples.begin(), middle, samples.end(),
        [](const MicroFigure& a, const MicroFigure& b) { return a.cpu_ns < b.cpu_ns; });
    figures.push_back(*middle);
    MicroFigure& figure = figures.back();
    if (stages.insert(figure.stage).second) typical_input = figure.input;
    figure.typical = figure.input == typical_input;
  }
  return figures;
}

}  // namespace hotlap::variants
