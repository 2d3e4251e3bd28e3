// The known effect: a chain of dependent arithmetic whose every step needs the one before, so that
// neither compiler nor core can shorten it. In a library of its own (hotlap_ballast) so that the
// harness can time the very code that the server runs.
#pragma once

#include <cstdint>

namespace hotlap::server {

// `steps` links of the chain from `seed`; the result only exists so that it must be computed.
std::uint64_t ballast_chain(std::uint64_t steps, std::uint64_t seed);

}  // namespace hotlap::server
