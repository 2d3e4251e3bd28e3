#include "server/reference/nginx_configuration.h"

#include <string_view>
#include <utility>

#include "server/reference/listener.h"

namespace hotlap::reference {
namespace {

// What is asked of /echo is a query's first `size`; "=" and no digits where it is not given a
// value. Its digits, from the right, are $n0 to $n6.
constexpr std::string_view kTop = R"nginx(daemon off;
@USER@worker_processes @WORKERS@;
pid nginx.pid;
error_log stderr notice;
pcre_jit on;
events {
  worker_connections @CONNECTIONS@;
  multi_accept on;
}
http {
  access_log off;
  server_tokens off;
  default_type text/plain;
  tcp_nodelay on;
  keepalive_requests 1000000000000;
  keepalive_timeout 1d;
  keepalive_time 365d;
  large_client_header_buffers 4 16k;
  client_max_body_size 8m;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  map $request_method $does_not_read { GET ""; HEAD ""; default 1; }
  map $request_method $is_unknown {
    GET ""; HEAD ""; POST ""; PUT ""; DELETE ""; CONNECT ""; OPTIONS ""; TRACE ""; PATCH "";
    default 1;
  }
  map $remote_addr $peer { ~: "[$remote_addr]:$remote_port"; default $remote_addr:$remote_port; }
  map $server_addr $local { ~: "[$server_addr]:$server_port"; default $server_addr:$server_port; }
  map $args $asked {
    default =64;
    "~^(?:(?!size(?:=|&|$))[^&]*&)*size(?:=(?<given>[^&]*))?(?:&|$)" =$given;
  }
  map $asked $size { ~^=0+$ =64; default $asked; }
  map "" $thousand { default "@THOUSAND@"; }
)nginx";

constexpr std::string_view kServer = R"nginx(
  server {
    listen @ADDRESS@ backlog=@BACKLOG@;
    merge_slashes off;
    error_page 418 = @refused;
    location @refused {
      if ($is_unknown) { return 501 "Not Implemented"; }
      add_header Allow "GET, HEAD" always;
      return 405 "Method Not Allowed";
    }
    location = /hello {
      if ($does_not_read) { return 418; }
      return 200 "Hello, World!";
    }
    location = /ping {
      if ($does_not_read) { return 418; }
      return 200 "pong";
    }
    location = /address {
      if ($does_not_read) { return 418; }
      return 200 "peer $peer\nlocal $local\n";
    }
    location = /echo {
      if ($does_not_read) { return 418; }
      if ($size !~ "^=0*(@LARGEST@)$") { return 400 "size must be digits, at most 1048576"; }
      if ($size ~ "^=0*@DIGITS@$") { return 200 "$x6$x5$x4$x3$x2$x1$x0"; }
    }
    location / {
      if ($is_unknown) { return 501 "Not Implemented"; }
      return 404 "Not Found";
    }
  }
}
)nginx";

// Seven digits at most, at most 1048576.
constexpr std::string_view kLargest =
    "[0-9]{1,6}|10[0-3][0-9]{4}|104[0-7][0-9]{3}|1048[0-4][0-9]{2}|10485[0-6][0-9]|104857[0-6]";
constexpr int kDigits = 7;

std::string replaced(std::string_view text, const std::string& place, const std::string& by) {
  std::string result(text);
  for (size_t at = result.find(place); at != std::string::npos;
       at = result.find(place, at + by.size())) {
    result.replace(at, place.size(), by);
  }
  return result;
}

std::string repeated(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

// Groups that may be absent on the left: (?:(?:(?<n2>[0-9])?(?<n1>[0-9]))?(?<n0>[0-9])).
std::string digits_pattern() {
  std::string pattern;
  for (int place = kDigits - 1; place >= 0; --place) {
    const std::string group = "(?<n" + std::to_string(place) + ">[0-9])";
    pattern = place == kDigits - 1 ? group : "(?:" + pattern + ")?" + group;
  }
  return pattern;
}

// nginx has no loop: a body of any size is the sum of what each decimal digit stands for. A value
// has 4,095 bytes at most, so that thousands are references to one thousand.
std::string digit_maps() {
  std::string maps;
  std::string one = "x";
  for (int place = 0; place < kDigits; ++place) {
    if (place == 3) one = "$thousand";
    const std::string number = std::to_string(place);
    std::string map = "  map $n" + number + " $x" + number + " { default \"\";";
    for (int digit = 1; digit < 10; ++digit) {
      map += " " + std::to_string(digit) + " \"" + repeated(one, digit) + "\";";
    }
    maps += map + " }\n";
    one = repeated(one, 10);
    if (place < 3) continue;
    const std::string name = "ten_to_" + std::to_string(place + 1);
    maps += "  map \"\" $" + name + " { default \"" + one + "\"; }\n";
    one = "$" + name;
  }
  return maps;
}

}  // namespace

std::string nginx_configuration(const NginxSettings& settings) {
  std::string text = std::string(kTop) + digit_maps() + std::string(kServer);
  const std::pair<const char*, std::string> places[] = {
      {"@USER@", settings.user.empty() ? "" : "user " + settings.user + ";\n"},
      {"@WORKERS@", std::to_string(settings.workers)},
      {"@CONNECTIONS@", std::to_string(settings.connections)},
      {"@THOUSAND@", repeated("x", 1000)},
      {"@ADDRESS@", settings.address},
      {"@BACKLOG@", std::to_string(kBacklog)},
      {"@LARGEST@", std::string(kLargest)},
      {"@DIGITS@", digits_pattern()},
  };
  for (const auto& [place, value] : places) text = replaced(text, place, value);
  return text;
}

}  // namespace hotlap::reference
