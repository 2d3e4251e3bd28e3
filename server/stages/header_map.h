// Stage `header_map`: where header fields are stored. State: one a connection. The parsing loop is
// the template of server/http/header_loop.h, instantiated in each variant's own file, and takes
// the framing fields itself. A map owns its bytes (in its state or the arena): the head may go.
#pragma once

#include "server/http/framing.h"
#include "server/http/head.h"
#include "server/stages/allocation.h"
#include "server/stages/variant.h"

namespace hotlap::server {

struct HeaderMapStage {
  VariantInfo info;
  void (*init)(void* state);
  void (*destroy)(void* state);
  // `block` is every header line with its CRLF, without the empty line that ends the head.
  // Clears the map first. kAccepted, or the status to answer with (what is stored then is
  // undefined).
  HttpStatus (*parse)(void* state, std::string_view block, Arena& arena, FramingFields& framing);
  void (*clear)(void* state);  // before the arena is reset
  std::size_t (*count)(const void* state);
  // The index-th field in order of arrival; its name in lower case. index < count.
  HeaderField (*at)(const void* state, std::size_t index);
  // The first field of that name (given in lower case); false when there is none.
  bool (*first)(const void* state, std::string_view name, std::string_view& value);
};

}  // namespace hotlap::server
