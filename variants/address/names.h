// Both addresses of a socket as text, asked of the kernel: getpeername and getsockname.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <charconv>
#include <cstring>

#include "server/stages/address.h"

namespace hotlap::variants {

// Room for `[` an IPv6 address `]:` and a port.
inline constexpr std::size_t kNameBytes = INET6_ADDRSTRLEN + 9;

struct SocketName {
  std::uint8_t size = 0;
  char text[kNameBytes];

  std::string_view view() const { return {text, size}; }
};

struct SocketNames {
  SocketName peer;
  SocketName local;

  server::AddressPair view() const { return {peer.view(), local.view()}; }
};

inline void format_name(const sockaddr_storage& address, SocketName& name) {
  const bool v6 = address.ss_family == AF_INET6;
  const auto& in6 = reinterpret_cast<const sockaddr_in6&>(address);
  const auto& in4 = reinterpret_cast<const sockaddr_in&>(address);
  name.size = 0;
  if (!v6 && address.ss_family != AF_INET) return;
  char* at = name.text;
  if (v6) *at++ = '[';
  const void* const ip =
      v6 ? static_cast<const void*>(&in6.sin6_addr) : static_cast<const void*>(&in4.sin_addr);
  if (inet_ntop(address.ss_family, ip, at, INET6_ADDRSTRLEN) == nullptr) return;
  at += std::strlen(at);
  if (v6) *at++ = ']';
  *at++ = ':';
  at = std::to_chars(at, at + 5, ntohs(v6 ? in6.sin6_port : in4.sin_port)).ptr;
  name.size = static_cast<std::uint8_t>(at - name.text);
}

inline void ask_names(int fd, SocketNames& names) {
  names.peer.size = names.local.size = 0;
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0) {
    format_name(address, names.peer);
  }
  size = sizeof(address);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0) {
    format_name(address, names.local);
  }
}

}  // namespace hotlap::variants
