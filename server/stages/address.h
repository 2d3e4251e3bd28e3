// Stage `address`: when the peer's and the local address of a connection are asked of the kernel.
// State: one a connection; it never outlives it, so that a reused descriptor cannot show an old
// peer.
#pragma once

#include "server/stages/variant.h"

namespace hotlap::server {

// `127.0.0.1:80` or `[::1]:80`; empty when the kernel could not say.
struct AddressPair {
  std::string_view peer;
  std::string_view local;
};

struct AddressStage {
  VariantInfo info;
  void (*init)(void* state);
  // Once a request, before its handler. Null: nothing is to be done.
  void (*on_request)(void* state, int fd);
  AddressPair (*get)(void* state, int fd);  // a handler asks; views into the state
};

}  // namespace hotlap::server
