// Splitting a target costs one search for the question mark in the usual form.
#include "server/http/target.h"

namespace hotlap::server {

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
