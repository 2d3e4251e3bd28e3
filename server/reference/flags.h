// The command line that both reference servers share: --listen HOST:PORT and --threads N.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace hotlap::reference {

struct Flags {
  std::string host = "127.0.0.1";  // an IPv4 or IPv6 address, without brackets
  uint16_t port = 0;               // 0: the kernel picks one, and the first line names it
  int threads = 1;
};

// What the program should do at once instead of serving.
struct Exit {
  int code;  // 0 after --help, 3 for a bad command line
};

// Prints the help text or the error itself.
std::variant<Flags, Exit> parse_flags(int argc, char** argv, const char* summary);

// "127.0.0.1:80" or "[::1]:80".
std::string printable_address(const std::string& host, uint16_t port);

}  // namespace hotlap::reference
