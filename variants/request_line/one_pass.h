// A request line taken from left to right: what the hand-written variants share. They differ only
// in how they run along the target, the one long part of it.
#pragma once

#include "server/http/chars.h"
#include "server/http/target.h"
#include "server/stages/request_line.h"

namespace hotlap::variants {

// `HTTP/1.1`: no other length is a version.
inline constexpr std::string_view kVersionPrefix = "HTTP/";

// ScanTarget: const char* (const char* line, const char* at, const char* end), the first byte of
// [at, end) that is no kTargetChar, or end; it may read all of [line, end).
template <class ScanTarget>
server::HttpStatus parse_in_one_pass(std::string_view line, server::RequestLine& out,
                                     ScanTarget scan_target) {
  using namespace server;
  const char* const begin = line.data();
  const char* const end = begin + line.size();
  const char* at = begin;
  while (at != end && has_class(*at, kTokenChar)) ++at;
  if (at == begin || at == end || *at != ' ') return 400;
  const std::string_view method(begin, static_cast<std::size_t>(at - begin));
  const char* const target_begin = ++at;
  at = scan_target(begin, at, end);
  if (at == target_begin || at == end || *at != ' ') return 400;
  const std::string_view target(target_begin, static_cast<std::size_t>(at - target_begin));
  ++at;
  const std::string_view version(at, static_cast<std::size_t>(end - at));
  if (version.size() != kVersionPrefix.size() + 3 || !version.starts_with(kVersionPrefix)) {
    return 400;
  }
  const char major = version[5];
  const char minor = version[7];
  if (!has_class(major, kDigit) || version[6] != '.' || !has_class(minor, kDigit)) return 400;
  out.method = method_from(method);
  if (!valid_target_form(out.method, target)) return 400;
  if (major != '1') return 505;
  if (out.method == Method::kUnknown) return 501;
  out.target = target;
  out.minor = minor - '0';
  return kAccepted;
}

}  // namespace hotlap::variants
