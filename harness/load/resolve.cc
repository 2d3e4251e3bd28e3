// See resolve.h.
#include "harness/load/resolve.h"

#include <netdb.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "harness/load/clock.h"
#include "harness/load/socket.h"
#include "harness/load/url.h"

namespace hotlap::load {
namespace {

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

std::string reason(int code, int system_error) {
  return code == EAI_SYSTEM ? std::strerror(system_error) : gai_strerror(code);
}

// The errno of a failure to connect, else 0.
int try_connect(const Endpoint& endpoint, std::int64_t timeout_ns) {
  const Dialled dialled = dial(endpoint);
  if (dialled.error != 0 || dialled.connected) return dialled.error;
  const std::int64_t until_ns = monotonic_ns() + timeout_ns;
  pollfd waiting{dialled.socket.get(), POLLOUT, 0};
  while (true) {
    const std::int64_t left_ns = until_ns - monotonic_ns();
    if (left_ns <= 0) return ETIMEDOUT;
    const int ready = ::poll(
        &waiting, 1, static_cast<int>(std::min<std::int64_t>(left_ns / 1'000'000 + 1, 60'000)));
    if (ready < 0 && errno != EINTR) return errno;
    if (ready > 0) break;
  }
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(dialled.socket.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  return error;
}

}  // namespace

std::vector<Endpoint> resolve(std::string_view text, std::string& error) {
  if (text.starts_with("unix:")) {
    const auto endpoint = Endpoint::parse(text, error);
    return endpoint ? std::vector{*endpoint} : std::vector<Endpoint>{};
  }
  const std::optional<HostPort> parts = split_host_port(text, error);
  if (!parts) return {};
  error = fault_of_host(parts->host, parts->bracketed);
  if (!error.empty()) return {};
  if (parts->host != "localhost") {
    std::string no_address;
    if (const auto endpoint = Endpoint::parse(text, no_address)) return {*endpoint};
  }
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(parts->port);
  const int code = getaddrinfo(parts->host.c_str(), port.c_str(), &hints, &found);
  const int system_error = errno;
  if (code != 0) {
    error = "the host '" + parts->host + "' was not found (" + reason(code, system_error) + ")";
    return {};
  }
  const std::unique_ptr<addrinfo, FreeAddresses> list(found);
  std::vector<Endpoint> endpoints;
  for (const addrinfo* one = list.get(); one != nullptr; one = one->ai_next) {
    if (one->ai_family != AF_INET && one->ai_family != AF_INET6) continue;
    Endpoint endpoint = Endpoint::of(one->ai_addr, one->ai_addrlen, std::string(text));
    const bool known = std::any_of(endpoints.begin(), endpoints.end(), [&](const Endpoint& other) {
      return other.place() == endpoint.place();
    });
    if (!known) endpoints.push_back(std::move(endpoint));
  }
  if (endpoints.empty()) error = "the host '" + parts->host + "' has no IP address";
  return endpoints;
}

std::optional<Endpoint> first_that_answers(const std::vector<Endpoint>& endpoints,
                                           std::int64_t timeout_ns, std::string& error) {
  if (endpoints.size() == 1) return endpoints.front();
  std::string faults;
  for (const Endpoint& endpoint : endpoints) {
    const int failed = try_connect(endpoint, timeout_ns);
    if (failed == 0) return endpoint;
    faults += (faults.empty() ? "" : ", ") + endpoint.place() + " (" + std::strerror(failed) + ")";
  }
  if (endpoints.empty()) return std::nullopt;
  error = endpoints.front().host() + " has " + std::to_string(endpoints.size()) +
          " addresses, and none of them can be connected to: " + faults;
  return std::nullopt;
}

}  // namespace hotlap::load
