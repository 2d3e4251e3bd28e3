// See listeners.h.
#include "harness/targets/listeners.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "harness/capture/unique_fd.h"

namespace hotlap::targets {
namespace {

constexpr unsigned kListenState = 0x0A;

std::string read_whole(const char* path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The kernel prints addresses as 32-bit words in the host's byte order.
std::string decode_address(const std::string& hex, bool six) {
  unsigned char bytes[16] = {};
  const size_t words = six ? 4 : 1;
  if (hex.size() != words * 8) return {};
  for (size_t i = 0; i < words; ++i) {
    const auto word =
        static_cast<uint32_t>(std::strtoul(hex.substr(i * 8, 8).c_str(), nullptr, 16));
    std::memcpy(bytes + 4 * i, &word, 4);
  }
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(six ? AF_INET6 : AF_INET, bytes, text, sizeof text);
  return text;
}

absl::StatusOr<capture::UniqueFd> bind_loopback(uint16_t port, uint16_t& bound) {
  capture::UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // Past connections in TIME_WAIT are no listener; SO_REUSEADDR looks through those only.
  const int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (bind(fd.get(), reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      listen(fd.get(), 1) != 0 ||
      getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot bind 127.0.0.1:", port));
  }
  bound = ntohs(address.sin_port);
  return fd;
}

}  // namespace

std::vector<Listener> parse_listeners(const std::string& text, bool six) {
  std::vector<Listener> listeners;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    char hex[33] = {};
    unsigned port = 0;
    unsigned state = 0;
    unsigned long long inode = 0;
    const int fields = std::sscanf(
        line.c_str(), " %*u: %32[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*s %*s %*s %*u %*u %llu", hex,
        &port, &state, &inode);
    if (fields != 4 || state != kListenState || port > 65535) continue;
    const std::string host = decode_address(hex, six);
    if (host.empty()) continue;
    listeners.push_back({{host, static_cast<uint16_t>(port)}, inode});
  }
  return listeners;
}

std::vector<Listener> read_listeners() {
  std::vector<Listener> all = parse_listeners(read_whole("/proc/net/tcp"), false);
  const std::vector<Listener> six = parse_listeners(read_whole("/proc/net/tcp6"), true);
  all.insert(all.end(), six.begin(), six.end());
  return all;
}

std::vector<Listener> held_by(const std::vector<pid_t>& pids,
                              const std::vector<Listener>& listeners) {
  std::set<uint64_t> sockets;
  for (const pid_t pid : pids) {
    std::error_code error;
    const std::string directory = absl::StrCat("/proc/", pid, "/fd");
    for (auto at = std::filesystem::directory_iterator(directory, error);
         !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
      struct stat info;
      if (stat(at->path().c_str(), &info) == 0 && S_ISSOCK(info.st_mode)) {
        sockets.insert(info.st_ino);
      }
    }
  }
  std::vector<Listener> held;
  std::copy_if(listeners.begin(), listeners.end(), std::back_inserter(held),
               [&](const Listener& listener) { return sockets.contains(listener.inode); });
  return held;
}

Endpoint reachable_at(const Listener& listener) {
  Endpoint endpoint = listener.endpoint;
  if (endpoint.host == "0.0.0.0") endpoint.host = "127.0.0.1";
  if (endpoint.host == "::") endpoint.host = "::1";
  constexpr std::string_view kMapped = "::ffff:";
  if (endpoint.host.starts_with(kMapped)) endpoint.host.erase(0, kMapped.size());
  return endpoint;
}

absl::StatusOr<uint16_t> pick_free_port() {
  uint16_t port = 0;
  const auto bound = bind_loopback(0, port);
  if (!bound.ok()) return bound.status();
  return port;
}

absl::Status check_port_free(uint16_t port) {
  uint16_t bound = 0;
  const auto fd = bind_loopback(port, bound);
  if (fd.ok()) return absl::OkStatus();
  for (const Listener& listener : read_listeners()) {
    if (listener.endpoint.port != port) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        "port ", port, " is taken: another process listens on ", listener.endpoint.to_string(),
        "; choose another port, or leave it to hotlap"));
  }
  return absl::FailedPreconditionError(
      absl::StrCat("port ", port, " cannot be used: ", std::string(fd.status().message())));
}

}  // namespace hotlap::targets
