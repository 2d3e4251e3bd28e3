// A URL in the parts that a load needs.
#ifndef HOTLAP_HARNESS_LOAD_URL_H_
#define HOTLAP_HARNESS_LOAD_URL_H_

#include <optional>
#include <string>
#include <string_view>

namespace hotlap::load {

// "https://example.test/hello?x=1".
struct Url {
  bool tls = false;       // https
  std::string authority;  // "example.test", as written: what Host says
  std::string host;       // "example.test"; an IPv6 address without its brackets
  std::string place;      // "example.test:443"; the port is 80 or 443 when absent
  std::string target;     // "/hello?x=1"; "/" when absent
};

// A fragment is an error, as are a user name, a port that is none, a host that is neither an
// address nor could be a name, and any scheme but http and https.
std::optional<Url> parse_url(std::string_view text, std::string& error);

// Empty where `host` is an address or could be a name; else what is wrong with it. "127.1" and
// "1.2.3.999" are neither: what ends in a number is an address or nothing.
std::string fault_of_host(const std::string& host, bool bracketed);

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_URL_H_
