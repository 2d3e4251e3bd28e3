// The open loop between messages and the generator: defaults and their checks, the generator's
// plan, and what is told of how it was kept.
#ifndef HOTLAP_HARNESS_AGENT_OPEN_LOOP_H_
#define HOTLAP_HARNESS_AGENT_OPEN_LOOP_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "harness/load/generator.h"
#include "harness/proto/experiment.pb.h"
#include "harness/proto/results.pb.h"

namespace hotlap::agent {

inline constexpr double kMaxLoadS = 24 * 3600;

// Fills in defaults and draws a seed where one is needed; of a RECORDED loop also the rate, from
// `log`, which is null where none is replayed. Errors name the field.
absl::StatusOr<hotlap::v1::OpenLoop> effective_open_loop(const hotlap::v1::OpenLoop& asked,
                                                         const load::ReplayLog* log = nullptr);

// Of an effective one.
load::OpenLoop open_loop_of(const hotlap::v1::OpenLoop& open, const load::ReplayLog* log);

// `asked_ns`, or how long the log lasts where that is shorter or nothing was asked (0). The loop is
// an effective one.
int64_t open_loop_ns(const hotlap::v1::OpenLoop& open, const load::ReplayLog* log,
                     int64_t asked_ns);

hotlap::v1::Pacing pacing_message(const load::Pacing& pacing);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_OPEN_LOOP_H_
