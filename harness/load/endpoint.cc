// Parsing of addresses. inet_pton decides what an address is, so that "127.1" is none.
#include "harness/load/endpoint.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <charconv>
#include <cstring>

namespace hotlap::load {
namespace {

constexpr std::string_view kHttp = "http://";
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
    endpoint.text_ = text;
    return endpoint;
  }
  const bool bracketed = text.starts_with('[');
  const std::size_t colon = bracketed ? text.find("]:") + 1 : text.rfind(':');
  if (colon == 0 || colon == std::string_view::npos) {
    error = quoted(text) + " is not HOST:PORT; write an IPv6 address as [::1]:PORT";
    return std::nullopt;
  }
  std::string host(bracketed ? text.substr(1, colon - 2) : text.substr(0, colon));
  if (host == "localhost") host = "127.0.0.1";
  const std::optional<std::uint16_t> port = parse_port(text.substr(colon + 1));
  if (!port) {
    error = "the port in " + quoted(text) + " must be a number from 1 to 65535";
    return std::nullopt;
  }
  auto* v4 = reinterpret_cast<sockaddr_in*>(&endpoint.address_);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&endpoint.address_);
  if (!bracketed && inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(*port);
    endpoint.length_ = sizeof(sockaddr_in);
    endpoint.host_ = host + ":" + std::to_string(*port);
  } else if (bracketed && inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(*port);
    endpoint.length_ = sizeof(sockaddr_in6);
    endpoint.host_ = "[" + host + "]:" + std::to_string(*port);
  } else {
    error = quoted(host) +
            " is not an address; give an IPv4 address, an IPv6 address in "
            "brackets, or localhost (names are not looked up)";
    return std::nullopt;
  }
  endpoint.text_ = endpoint.host_;
  return endpoint;
}

std::optional<SplitUrl> split_url(std::string_view text, std::string& error) {
  if (!text.starts_with(kHttp)) {
    error = quoted(text) + " is not a URL that can be loaded; it must begin with http://";
    return std::nullopt;
  }
  const std::string_view rest = text.substr(kHttp.size());
  const std::size_t path = rest.find_first_of("/?#");
  SplitUrl url{std::string(rest.substr(0, path)),
               std::string(path == std::string_view::npos ? "" : rest.substr(path))};
  if (url.authority.empty()) {
    error = "the URL " + quoted(text) + " names no host";
    return std::nullopt;
  }
  if (url.target.find('#') != std::string::npos) {
    error = "the URL " + quoted(text) + " has a fragment (#…), which is never sent; leave it out";
    return std::nullopt;
  }
  if (url.target.empty() || url.target.front() == '?') url.target.insert(url.target.begin(), '/');
  return url;
}

std::optional<Url> parse_url(std::string_view text, std::string& error) {
  std::optional<SplitUrl> url = split_url(text, error);
  if (!url) return std::nullopt;
  const bool has_port =
      !url->authority.ends_with(']') &&
      url->authority.find(':', url->authority.rfind(']') + 1) != std::string::npos;
  if (!has_port) url->authority += ":80";
  std::optional<Endpoint> endpoint = Endpoint::parse(url->authority, error);
  if (!endpoint) return std::nullopt;
  return Url{*std::move(endpoint), std::move(url->target)};
}

}  // namespace hotlap::load
