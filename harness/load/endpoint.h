// Where a load goes: an IPv4 or IPv6 address and a port, or a Unix socket. Names are not looked up,
// `localhost` apart, which is 127.0.0.1: a load is aimed at an address.
#ifndef HOTLAP_HARNESS_LOAD_ENDPOINT_H_
#define HOTLAP_HARNESS_LOAD_ENDPOINT_H_

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hotlap::load {

class Endpoint {
 public:
  // "127.0.0.1:8080", "[::1]:8080", "localhost:8080", "unix:/path". On failure nullopt, and `error`
  // names what was wrong.
  static std::optional<Endpoint> parse(std::string_view text, std::string& error);

  int family() const { return address_.ss_family; }
  const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&address_); }
  socklen_t address_length() const { return length_; }
  // As it stands in a Host header and in messages: "127.0.0.1:8080", "[::1]:8080" (port 80 is
  // written too); "localhost" for a Unix socket.
  const std::string& host() const { return host_; }
  // As in messages: host(), or "unix:/path".
  const std::string& text() const { return text_; }

 private:
  sockaddr_storage address_{};
  socklen_t length_ = 0;
  std::string host_;
  std::string text_;
};

// "http://127.0.0.1:8080/hello?x=1" → its endpoint and "/hello?x=1". The port is 80 when absent,
// the target "/"; a fragment is an error, as is any scheme but http.
struct Url {
  Endpoint endpoint;
  std::string target;
};
std::optional<Url> parse_url(std::string_view text, std::string& error);

// The same without asking whether the authority is an address: "example.test:8080" and
// "/hello?x=1".
struct SplitUrl {
  std::string authority;
  std::string target;
};
std::optional<SplitUrl> split_url(std::string_view text, std::string& error);

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_ENDPOINT_H_
