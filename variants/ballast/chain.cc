// N links of dependent arithmetic a request: the known effect that calibration looks for. Costs N
// times the latency of a multiplication and a few shifts, whatever the core.
#include <charconv>

#include "server/ballast_chain.h"
#include "server/stages/ballast.h"

namespace hotlap::variants {
namespace {

using namespace server;

constexpr std::uint64_t kMaxSteps = 100'000'000;
constexpr std::uint64_t kSeed = 0x9e3779b97f4a7c15;

const char* configure(std::string_view argument, StageConfig& config) {
  const char* const end = argument.data() + argument.size();
  const auto [stop, error] = std::from_chars(argument.data(), end, config.number);
  if (argument.empty() || error != std::errc() || stop != end || config.number > kMaxSteps) {
    return "needs a number of steps from 0 to 100000000, such as chain:800";
  }
  return nullptr;
}

void spend(const StageConfig& config) { server::ballast_chain(config.number, kSeed); }

}  // namespace

extern constinit const BallastStage ballast_chain = {
    .info = {.name = "chain",
             .summary = "chain:N, N dependent steps of arithmetic",
             .costs = "N steps of a few cycles each, no memory",
             .configure = configure},
    .spend = spend,
};

}  // namespace hotlap::variants
