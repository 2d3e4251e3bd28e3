// Parsing of addresses. inet_pton decides what an address is, so that "127.1" is none.
#include "harness/load/endpoint.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace hotlap::load {
namespace {

constexpr std::string_view kUnix = "unix:";

std::optional<std::uint16_t> parse_port(std::string_view text) {
  unsigned value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || value == 0 || value > 65535) {
    return std::nullopt;
  }
  return static_cast<std::uint16_t>(value);
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

}  // namespace

std::optional<HostPort> split_host_port(std::string_view text, std::string& error) {
  const bool bracketed = text.starts_with('[');
  const std::size_t colon = bracketed ? text.find("]:") + 1 : text.rfind(':');
  if (colon == 0 || colon == std::string_view::npos) {
    error = quoted(text) + " is not HOST:PORT; write an IPv6 address as [::1]:PORT";
    return std::nullopt;
  }
  const std::optional<std::uint16_t> port = parse_port(text.substr(colon + 1));
  if (!port) {
    error = "the port in " + quoted(text) + " must be a number from 1 to 65535";
    return std::nullopt;
  }
  const std::string_view host = bracketed ? text.substr(1, colon - 2) : text.substr(0, colon);
  return HostPort{std::string(host), *port, bracketed};
}

std::optional<Endpoint> Endpoint::parse(std::string_view text, std::string& error) {
  Endpoint endpoint;
  if (text.starts_with(kUnix)) {
    const std::string_view path = text.substr(kUnix.size());
    auto* address = reinterpret_cast<sockaddr_un*>(&endpoint.address_);
    if (path.empty() || path.size() >= sizeof(address->sun_path)) {
      error = "the socket path in " + quoted(text) + " must have 1 to 107 bytes";
      return std::nullopt;
    }
    address->sun_family = AF_UNIX;
    std::memcpy(address->sun_path, path.data(), path.size());
    endpoint.length_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
    endpoint.host_ = "localhost";
    endpoint.place_ = text;
    return endpoint;
  }
  const std::optional<HostPort> parts = split_host_port(text, error);
  if (!parts) return std::nullopt;
  const std::string host = parts->host == "localhost" ? "127.0.0.1" : parts->host;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&endpoint.address_);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&endpoint.address_);
  if (!parts->bracketed && inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(parts->port);
    endpoint.length_ = sizeof(sockaddr_in);
    endpoint.place_ = host + ":" + std::to_string(parts->port);
  } else if (parts->bracketed && inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(parts->port);
    endpoint.length_ = sizeof(sockaddr_in6);
    endpoint.place_ = "[" + host + "]:" + std::to_string(parts->port);
  } else {
    error = quoted(parts->host) +
            " is not an address; give an IPv4 address, an IPv6 address in brackets, or localhost";
    return std::nullopt;
  }
  endpoint.host_ = endpoint.place_;
  return endpoint;
}

Endpoint Endpoint::of(const sockaddr* address, socklen_t length, const std::string& name) {
  Endpoint endpoint;
  std::memcpy(&endpoint.address_, address, std::min<std::size_t>(length, sizeof(sockaddr_storage)));
  endpoint.length_ = length;
  char text[INET6_ADDRSTRLEN] = "";
  const auto* v4 = reinterpret_cast<const sockaddr_in*>(&endpoint.address_);
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&endpoint.address_);
  if (endpoint.family() == AF_INET6) {
    inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text);
    endpoint.place_ = "[" + std::string(text) + "]:" + std::to_string(ntohs(v6->sin6_port));
  } else {
    inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text);
    endpoint.place_ = std::string(text) + ":" + std::to_string(ntohs(v4->sin_port));
  }
  endpoint.host_ = name;
  return endpoint;
}

std::string Endpoint::text() const {
  const bool named = family() != AF_UNIX && host_ != place_;
  return named ? host_ + " (" + place_ + ")" : place_;
}

}  // namespace hotlap::load
