// The flags of `hotlap load`, in the manner of wrk and wrk2, and the load that they ask for.
#ifndef HOTLAP_HARNESS_CLI_LOAD_FLAGS_H_
#define HOTLAP_HARNESS_CLI_LOAD_FLAGS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/cli/cli11.h"
#include "harness/cli/experiment_flags.h"
#include "harness/cli/load_ask.h"
#include "harness/cli/load_place.h"
#include "harness/cli/open_loop_flags.h"
#include "harness/cli/stream_flags.h"
#include "harness/proto/control.pb.h"

namespace hotlap::cli {

struct LoadFlags {
  std::vector<std::string> urls;
  std::vector<uint32_t> weights;
  std::string duration = "10s";
  std::optional<int64_t> requests;
  std::string timeout;
  std::string connect_timeout;
  std::string first_byte_timeout;
  std::string host;
  std::string promise;   // of --max-rate-within
  std::string out_path;  // likewise: the directory of its curve
  OpenLoopFlags open;
  StreamFlags stream;
  std::string seed;
  std::string load_cpus;
  PlaceFlags place;
  AskFlags ask;
  WorkloadFlags workload;
  bool distribution = false;
  bool json = false;
  bool quiet = false;
  std::string hgrm_path;
  std::string csv_path;
  // Null where the flags are not a command's.
  const CLI::Option* duration_option = nullptr;
  const CLI::Option* host_option = nullptr;

  void add_to(CLI::App& command);
  // Refuses flags that would have no effect.
  absl::StatusOr<hotlap::v1::LoadRequest> request() const;
};

// "500ms", "10s", "2m", "1h", "10" as seconds; `flag` names it in the error.
absl::StatusOr<double> parse_duration_s(const std::string& flag, const std::string& text);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_LOAD_FLAGS_H_
