// Which TCP ports a set of processes listens on, from /proc: how a foreign server's readiness is
// seen, and that it is *its* port and not another's.
#ifndef HOTLAP_HARNESS_TARGETS_LISTENERS_H_
#define HOTLAP_HARNESS_TARGETS_LISTENERS_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/targets/target_spec.h"

namespace hotlap::targets {

struct Listener {
  Endpoint endpoint;  // "0.0.0.0" and "::" where it listens on all addresses
  uint64_t inode = 0;
};

// All listening TCP sockets of the host's network namespace, IPv4 and IPv6.
std::vector<Listener> read_listeners();

// The text of /proc/net/tcp or tcp6. Lines that make no sense are passed over.
std::vector<Listener> parse_listeners(const std::string& text, bool six);

// Those of `listeners` whose socket one of the processes holds.
std::vector<Listener> held_by(const std::vector<pid_t>& pids,
                              const std::vector<Listener>& listeners);

// Where a client on this host reaches it: loopback for the addresses that mean all.
Endpoint reachable_at(const Listener& listener);

// A TCP port on which nobody listens now.
absl::StatusOr<uint16_t> pick_free_port();

// FailedPrecondition when somebody listens on it.
absl::Status check_port_free(uint16_t port);

}  // namespace hotlap::targets

#endif  // HOTLAP_HARNESS_TARGETS_LISTENERS_H_
