// The configuration with which nginx answers as the lab's server does, as far as it can: /hello,
// /ping, GET /echo?size=N, /address, 404, 405 and 501. It logs no request, and no connection ends
// because it has served many or for long.
#pragma once

#include <cstdint>
#include <string>

namespace hotlap::reference {

struct NginxSettings {
  std::string address;  // "127.0.0.1:80"; the listener that nginx inherits is known by it
  std::string user;     // as whom workers run, where nginx is started by root; else empty
  int workers = 1;
  uint64_t connections = 0;  // a worker's most
};

std::string nginx_configuration(const NginxSettings& settings);

}  // namespace hotlap::reference
