// The variables that one arm's target gets and the others do not: checked before a run, checked to
// have worked where the loader would only grumble, and written as a shell has them.
#ifndef HOTLAP_HARNESS_AGENT_ARM_ENVIRONMENT_H_
#define HOTLAP_HARNESS_AGENT_ARM_ENVIRONMENT_H_

#include <string>

#include "absl/status/status.h"
#include "harness/proto/experiment.pb.h"

namespace hotlap::agent {

// Errors (INVALID_ARGUMENT) name arm and variable: a name that is none or given twice, one that
// hotlap draws by itself, any of a url target, which runs already.
absl::Status check_environment(const hotlap::v1::Arm& arm);

// The dynamic loader only warns of a library in LD_PRELOAD that it cannot load, and goes on: that
// would measure A against A. FAILED_PRECONDITION with its words where they stand in the output.
absl::Status check_preloaded(const std::string& output);

// "GOGC=off GREETING='a b' " with a space at its end; empty where the arm has none.
std::string environment_words(const hotlap::v1::Arm& arm);

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_ARM_ENVIRONMENT_H_
