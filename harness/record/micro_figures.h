// What the last `hotlap-micro --save` measured on this machine: cost of a call of each variant,
// alone. One small JSON file in the user's state directory, replaced whole by rename; figures of
// another processor are refused, for they say nothing about this one.
#ifndef HOTLAP_HARNESS_RECORD_MICRO_FIGURES_H_
#define HOTLAP_HARNESS_RECORD_MICRO_FIGURES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace hotlap::record {

struct MicroFigure {
  std::string stage;
  std::string variant;
  std::string input;       // "browser"
  bool typical = false;    // the one input of its stage to show where there is room for one
  double cpu_ns = 0;       // a call
  double allocations = 0;  // a call
  // Nothing where the machine does not count them.
  std::optional<double> instructions{};
  std::optional<double> cycles{};
  std::optional<double> branch_misses{};
};

struct MicroFigures {
  std::string cpu_model;
  int64_t measured_at_unix_s = 0;
  std::vector<MicroFigure> figures;

  // Of the stage's typical input; null where that was not measured.
  const MicroFigure* typical(const std::string& stage, const std::string& variant) const;
};

// $XDG_STATE_HOME/hotlap/micro.json, or ~/.local/state/hotlap/micro.json. An error where neither
// XDG_STATE_HOME nor HOME is set to an absolute path.
absl::StatusOr<std::string> micro_figures_path();

// Makes the directory where it is missing.
absl::Status write_micro_figures(const std::string& path, const MicroFigures& figures);

// NOT_FOUND where nothing was saved yet; FAILED_PRECONDITION where it was saved on another
// processor than `cpu_model`; DATA_LOSS where the file is not of a form and version known here.
absl::StatusOr<MicroFigures> read_micro_figures(const std::string& path,
                                                const std::string& cpu_model);

}  // namespace hotlap::record

#endif  // HOTLAP_HARNESS_RECORD_MICRO_FIGURES_H_
