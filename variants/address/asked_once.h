// Both addresses of a connection, asked of the kernel once and kept in the connection's own memory,
// with which they end. Which request asks is what tells `cached` and `lazy` apart.
#pragma once

#include <new>

#include "variants/address/names.h"

namespace hotlap::variants {

struct AskedOnce {
  bool known = false;
  SocketNames names;

  void ask(int fd) {
    if (known) return;
    ask_names(fd, names);
    known = true;
  }

  static AskedOnce& of(void* state) { return *static_cast<AskedOnce*>(state); }
  static void init(void* state) { new (state) AskedOnce; }
};

}  // namespace hotlap::variants
