// What the benchmarks came to, on its way to the screen: passed on as it is to the reporter that
// the flags chose, and kept as figures. Repetitions of one benchmark come to their median.
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/record/micro_figures.h"

namespace hotlap::variants {

class FigureReporter : public benchmark::BenchmarkReporter {
 public:
  // `display` writes to standard output.
  explicit FigureReporter(std::unique_ptr<benchmark::BenchmarkReporter> display)
      : display_(std::move(display)) {}

  bool ReportContext(const Context& context) override { return display_->ReportContext(context); }
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override { display_->Finalize(); }

  // In the order of their first report.
  std::vector<record::MicroFigure> figures() const;
  // Names of the benchmarks that were refused, with why.
  const std::vector<std::string>& refused() const { return refused_; }

 private:
  std::unique_ptr<benchmark::BenchmarkReporter> display_;
  std::vector<std::string> names_;
  std::map<std::string, std::vector<record::MicroFigure>> samples_;  // by name
  std::vector<std::string> refused_;
};

}  // namespace hotlap::variants
