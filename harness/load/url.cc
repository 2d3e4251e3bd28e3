// See url.h.
#include "harness/load/url.h"

#include <arpa/inet.h>

#include <algorithm>

#include "harness/load/endpoint.h"
#include "harness/load/http_text.h"

namespace hotlap::load {
namespace {

constexpr std::string_view kDelimiter = "://";

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool may_stand_in_a_name(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' ||
         c == '_';
}

bool ends_in_a_number(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  const std::string_view last = host.substr(host.rfind('.') + 1);
  return !last.empty() && std::all_of(last.begin(), last.end(), is_digit);
}

// Whether the authority says a port; the colons of an IPv6 address say none.
bool has_port(std::string_view authority) {
  const std::size_t bracket = authority.rfind(']');
  return authority.find(':', bracket == std::string_view::npos ? 0 : bracket) !=
         std::string_view::npos;
}

}  // namespace

std::string fault_of_host(const std::string& host, bool bracketed) {
  in6_addr address;
  if (bracketed) {
    if (inet_pton(AF_INET6, host.c_str(), &address) == 1) return "";
    return quoted(host) + " is not an IPv6 address";
  }
  if (inet_pton(AF_INET, host.c_str(), &address) == 1) return "";
  if (!std::all_of(host.begin(), host.end(), may_stand_in_a_name)) {
    return quoted(host) + " is not a host name: write it in ASCII, and an IPv6 address in brackets";
  }
  if (ends_in_a_number(host)) {
    return quoted(host) + " is not an IPv4 address: it has four numbers of 0 to 255";
  }
  return "";
}

std::optional<Url> parse_url(std::string_view text, std::string& error) {
  const std::size_t scheme = text.find(kDelimiter);
  Url url;
  url.tls = same_ignoring_case(text.substr(0, scheme), "https");
  if (scheme == std::string_view::npos ||
      (!url.tls && !same_ignoring_case(text.substr(0, scheme), "http"))) {
    error =
        quoted(text) + " is not a URL that can be loaded; it must begin with http:// or https://";
    return std::nullopt;
  }
  const std::string_view rest = text.substr(scheme + kDelimiter.size());
  const std::size_t path = rest.find_first_of("/?#");
  url.authority = rest.substr(0, path);
  if (path != std::string_view::npos) url.target = rest.substr(path);
  if (url.authority.find('@') != std::string::npos) {
    error = "the URL " + quoted(text) +
            " has a user name in it, which is never sent: give what the server wants as a header";
    return std::nullopt;
  }
  if (url.target.find('#') != std::string::npos) {
    error = "the URL " + quoted(text) + " has a fragment (#…), which is never sent; leave it out";
    return std::nullopt;
  }
  if (url.target.empty() || url.target.front() == '?') url.target.insert(url.target.begin(), '/');
  url.place = has_port(url.authority) ? url.authority : url.authority + (url.tls ? ":443" : ":80");
  if (url.authority.empty() || url.authority.rfind(':') == 0) {
    error = "the URL " + quoted(text) + " names no host";
    return std::nullopt;
  }
  const std::optional<HostPort> parts = split_host_port(url.place, error);
  if (!parts) return std::nullopt;
  error = fault_of_host(parts->host, parts->bracketed);
  if (!error.empty()) return std::nullopt;
  url.host = parts->host;
  return url;
}

}  // namespace hotlap::load
