#include "server/reference/flags.h"

#include <charconv>
#include <cstdio>
#include <string_view>

namespace hotlap::reference {
namespace {

template <typename Number>
bool parse_number(std::string_view text, Number& out) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool parse_listen(std::string_view text, Flags& flags) {
  size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  std::string_view host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  flags.host = host == "localhost" ? "127.0.0.1" : std::string(host);
  return parse_number(text.substr(colon + 1), flags.port);
}

Exit usage_error(const char* program, const std::string& what) {
  std::fprintf(stderr, "%s: %s; see %s --help\n", program, what.c_str(), program);
  return Exit{3};
}

}  // namespace

std::variant<Flags, Exit> parse_flags(int argc, char** argv, const char* summary) {
  Flags flags;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      std::printf(
          "%s\n\nusage: %s [--listen HOST:PORT] [--threads N]\n"
          "  --listen HOST:PORT  address to listen on; port 0 lets the kernel pick (127.0.0.1:0)\n"
          "  --threads N         threads that serve, 1 to 256 (1)\n"
          "The first line printed is 'listening on HOST:PORT'. SIGTERM stops it with exit 0.\n",
          summary, argv[0]);
      return Exit{0};
    }
    size_t equals = argument.find('=');
    std::string_view name = argument.substr(0, equals);
    if (name != "--listen" && name != "--threads") {
      return usage_error(argv[0], "unknown argument '" + std::string(argument) + "'");
    }
    if (equals == std::string_view::npos && i + 1 == argc) {
      return usage_error(argv[0], std::string(name) + " needs a value");
    }
    std::string_view value =
        equals == std::string_view::npos ? argv[++i] : argument.substr(equals + 1);
    if (name == "--listen" && !parse_listen(value, flags)) {
      return usage_error(argv[0], "--listen wants HOST:PORT, got '" + std::string(value) + "'");
    }
    if (name == "--threads" &&
        (!parse_number(value, flags.threads) || flags.threads < 1 || flags.threads > 256)) {
      return usage_error(argv[0], "--threads wants 1 to 256, got '" + std::string(value) + "'");
    }
  }
  return flags;
}

std::string printable_address(const std::string& host, uint16_t port) {
  std::string shown = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return shown + ":" + std::to_string(port);
}

}  // namespace hotlap::reference
