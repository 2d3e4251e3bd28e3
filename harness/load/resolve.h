// Names to addresses, once, before a load: by the system's resolver, which may wait for a name
// server.
#ifndef HOTLAP_HARNESS_LOAD_RESOLVE_H_
#define HOTLAP_HARNESS_LOAD_RESOLVE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/load/endpoint.h"

namespace hotlap::load {

// "HOST:PORT" or "unix:/path": all that HOST may mean, in the resolver's order, each once. Empty,
// and an error, where it means nothing.
std::vector<Endpoint> resolve(std::string_view text, std::string& error);

// The first that takes a connection (which is closed again), each tried for so long. Where there is
// one only it is not tried. Nullopt when none does: the error says of each why.
std::optional<Endpoint> first_that_answers(const std::vector<Endpoint>& endpoints,
                                           std::int64_t timeout_ns, std::string& error);

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_RESOLVE_H_
