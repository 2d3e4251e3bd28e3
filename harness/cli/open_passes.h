// What the open-loop passes of a run say: side by side as they were, compared where there are
// enough of them, and why their figures may not be what they seem.
#ifndef HOTLAP_HARNESS_CLI_OPEN_PASSES_H_
#define HOTLAP_HARNESS_CLI_OPEN_PASSES_H_

#include <string>
#include <vector>

#include "harness/proto/results.pb.h"

namespace hotlap::cli {

// p50 and p99 of each arm but the first against the first, over pairs of passes that count: the
// Hodges-Lehmann estimate of ln(arm / first) and its exact signed-rank interval at 95 %. None
// below six pairs.
std::vector<hotlap::v1::OpenComparison> compare_open_passes(const hotlap::v1::Run& run);

// Void passes, rates not met, a generator that was the bottleneck: a sentence each.
std::vector<std::string> open_pass_notes(const hotlap::v1::Run& run);

// A table within 80 columns, a row a pass and arm; empty without passes.
std::string open_passes_text(const hotlap::v1::Run& run);

// An object, or null without passes.
std::string open_passes_json(const hotlap::v1::Run& run);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_OPEN_PASSES_H_
