// Splitting a target costs one search for the question mark in the usual form.
#include "server/http/target.h"

#include "server/http/framing.h"

namespace hotlap::server {
namespace {

constexpr std::string_view kAuthorityMark = "//";

}  // namespace

bool valid_absolute_form(std::string_view target) {
  const std::size_t colon = target.find(':');
  if (colon == target.npos || !has_class(target.front(), kAlpha)) return false;
  const std::string_view scheme = target.substr(0, colon);
  for (const char c : scheme) {
    if (!has_class(c, kAlpha | kDigit) && c != '+' && c != '-' && c != '.') return false;
  }
  if (!equals_ignoring_case(scheme, "http") && !equals_ignoring_case(scheme, "https")) return true;
  std::string_view rest = target.substr(colon + 1);
  if (!rest.starts_with(kAuthorityMark)) return false;
  rest.remove_prefix(kAuthorityMark.size());
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?"));
  return !authority.empty() && authority.front() != ':' && valid_host(authority);
}

TargetParts split_target(std::string_view target) {
  if (!target.empty() && target.front() != '/') {
    const std::size_t colon = target.find(':');
    if (colon != target.npos && target.substr(colon, 3) == "://") {
      const std::size_t path = target.find_first_of("/?", colon + 3);
      target = path == target.npos ? std::string_view() : target.substr(path);
      if (target.empty()) return {"/", {}};
      if (target.front() == '?') return {"/", target.substr(1)};
    }
  }
  const std::size_t mark = target.find('?');
  if (mark == target.npos) return {target, {}};
  return {target.substr(0, mark), target.substr(mark + 1)};
}

}  // namespace hotlap::server
