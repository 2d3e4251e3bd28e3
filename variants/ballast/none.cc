// No extra work. Costs the call.
#include "server/stages/ballast.h"

namespace hotlap::variants {
namespace {

void spend(const server::StageConfig&) {}

}  // namespace

extern constinit const server::BallastStage ballast_none = {
    .info = {.name = "none", .summary = "no extra work", .costs = "nothing"},
    .spend = spend,
};

}  // namespace hotlap::variants
