// The equivalence gate: before one target is said to be faster than another, both must answer the
// same. `hotlap verify` is this, and `hotlap ab` runs its short form before it times anything.
//
// Between pipelines of the lab's server every reply is compared byte for byte (Date and the
// addresses in /address masked) and held against what HTTP.md asks. Other servers are held to the
// workload's own requests only: status, Content-Type and body.
//
// Costs: quick under a second for two targets, full some seconds each.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/conformance/exchange.h"

namespace hotlap::verify {

using conformance::Endpoint;

struct Target {
  std::string name;  // as the user wrote it; printed
  Endpoint endpoint;
};

enum class Depth {
  quick,  // a few dozen cases, each sent whole
  whole,  // every case, each sent whole
  full,   // every case whole, at every split, and one byte at a time
};

struct Report {
  size_t cases = 0;                // distinct ones
  size_t exchanges = 0;            // connections made over all targets
  size_t differences = 0;          // of any target from the first one, or from what is asked of it
  std::vector<std::string> lines;  // one a difference, at most kMaxLines, then how many more

  static constexpr size_t kMaxLines = 40;
  bool passed() const { return differences == 0; }
};

// How long a target may make no progress before what it still owes counts as not answered.
inline constexpr std::chrono::milliseconds kStall{5000};

// Every case to each target. Errors: InvalidArgument without targets, Unavailable where a target
// does not answer at all.
absl::StatusOr<Report> verify(std::span<const Target> targets, Depth depth,
                              std::chrono::milliseconds stall = kStall);

// Each request, raw bytes with its empty line and body, to each target: status, Content-Type and
// body must equal the first target's. Errors as above.
absl::StatusOr<Report> verify_requests(std::span<const Target> targets,
                                       std::span<const std::string> requests,
                                       std::chrono::milliseconds stall = kStall);

}  // namespace hotlap::verify
