// Where a load goes: an IPv4 or IPv6 address and a port, or a Unix socket. Names are for resolve.h;
// of them only `localhost` is known here, as 127.0.0.1.
#ifndef HOTLAP_HARNESS_LOAD_ENDPOINT_H_
#define HOTLAP_HARNESS_LOAD_ENDPOINT_H_

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hotlap::load {

// "HOST:PORT" in its parts; an IPv6 address stands in brackets, which are not part of `host`.
struct HostPort {
  std::string host;
  std::uint16_t port = 0;
  bool bracketed = false;
};
std::optional<HostPort> split_host_port(std::string_view text, std::string& error);

class Endpoint {
 public:
  // "127.0.0.1:8080", "[::1]:8080", "localhost:8080", "unix:/path". On failure nullopt, and `error`
  // names what was wrong.
  static std::optional<Endpoint> parse(std::string_view text, std::string& error);
  // An address that `name` ("example.test:8080") was found to have.
  static Endpoint of(const sockaddr* address, socklen_t length, const std::string& name);

  int family() const { return address_.ss_family; }
  const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&address_); }
  socklen_t address_length() const { return length_; }
  // As it stands in a Host header: the name that was asked for, else "127.0.0.1:8080", "[::1]:8080"
  // (port 80 is written too); "localhost" for a Unix socket.
  const std::string& host() const { return host_; }
  // Where that is: "127.0.0.1:8080", "[::1]:8080", "unix:/path".
  const std::string& place() const { return place_; }
  // As in messages: the place, and before it the name where one was asked for.
  std::string text() const;

 private:
  sockaddr_storage address_{};
  socklen_t length_ = 0;
  std::string host_;
  std::string place_;
};

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_ENDPOINT_H_
