// Which routes there are and who answers them. Built once at start, then only read.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "server/routes/exchange.h"

namespace hotlap::server {

struct RouteSettings {
  std::size_t numbered_routes = 100;  // how many of /route/0, /route/1, ...
  std::string files_directory;        // of /file/:name; empty: every file is unknown
};

struct Route {
  std::uint32_t methods;
  std::string pattern;
  bool wants_body;  // else a body is drained
  void (*handler)(Exchange& exchange);
};

class RouteTable {
 public:
  explicit RouteTable(const RouteSettings& settings);

  const std::vector<Route>& routes() const { return routes_; }
  std::vector<RoutePattern> patterns() const;
  std::string_view filler(std::size_t bytes) const;  // `x` over and over, at most kMaxEchoBytes
  int files_directory_fd() const { return files_fd_ ? *files_fd_ : -1; }
  // Empty when the settings could be met.
  const std::string& error() const { return error_; }

 private:
  struct CloseFd {
    void operator()(int* fd) const;
  };

  std::vector<Route> routes_;
  std::string filler_;
  std::string error_;
  std::unique_ptr<int, CloseFd> files_fd_;
};

inline constexpr std::size_t kMaxEchoBytes = 1 << 20;

// `GET, HEAD, POST` of a set of methods, as Allow has it.
std::string allow_text(std::uint32_t methods);

}  // namespace hotlap::server
