// The header-parsing loop, written once and instantiated in each header map's own file, so that
// storing a field is an inlined call and no call through a pointer lies within the loop.
#pragma once

#include <cstring>

#include "server/http/chars.h"
#include "server/http/framing.h"

namespace hotlap::server {

// The longest field name that can matter to framing.
inline constexpr std::size_t kMaxFramingName = 17;

// Storage: void add(std::string_view name, std::string_view value), which lowers the name itself
// and copies what it keeps. `block` holds whole lines that end in CRLF, none of them empty; the
// scanner has made sure that neither CR nor LF stands anywhere else.
template <class Storage>
HttpStatus parse_header_block(std::string_view block, Storage& storage, FramingFields& framing) {
  const char* at = block.data();
  const char* const end = at + block.size();
  while (at != end) {
    const char* const name_begin = at;
    while (at != end && has_class(*at, kTokenChar)) ++at;
    if (at == end || *at != ':' || at == name_begin) return 400;
    const std::string_view name(name_begin, static_cast<std::size_t>(at - name_begin));
    ++at;
    while (at != end && (*at == ' ' || *at == '\t')) ++at;
    const char* const value_begin = at;
    while (at != end && has_class(*at, kValueChar)) ++at;
    if (end - at < 2 || at[0] != '\r' || at[1] != '\n') return 400;
    const char* value_end = at;
    while (value_end != value_begin && (value_end[-1] == ' ' || value_end[-1] == '\t')) --value_end;
    const std::string_view value(value_begin, static_cast<std::size_t>(value_end - value_begin));
    at += 2;
    if (name.size() <= kMaxFramingName) {
      char lower[kMaxFramingName];
      for (std::size_t i = 0; i < name.size(); ++i) lower[i] = to_lower(name[i]);
      const HttpStatus status = take_framing_field({lower, name.size()}, value, framing);
      if (status != kAccepted) return status;
    }
    storage.add(name, value);
  }
  return kAccepted;
}

}  // namespace hotlap::server
