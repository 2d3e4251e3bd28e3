// Stage `socket_options`: what is set on an accepted socket. No state.
#pragma once

#include "server/stages/variant.h"

namespace hotlap::server {

struct SocketOptionsStage {
  VariantInfo info;
  void (*apply_accepted)(int fd);
};

}  // namespace hotlap::server
