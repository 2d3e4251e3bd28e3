// Rare and never accepted, so that it is written to be read: the line is cut at its spaces first.
#include "server/http/long_line.h"

#include "server/http/chars.h"
#include "server/http/target.h"

namespace hotlap::server {
namespace {

constexpr std::string_view kVersionPrefix = "HTTP/";

}  // namespace

HttpStatus refusal_of_long_line(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == last) return 400;  // one space, or none
  const std::string_view token = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  std::string_view version = line.substr(last + 1);
  if (token.empty() || !all_of_class(token, kTokenChar)) return 400;
  if (target.empty() || !all_of_class(target, kTargetChar)) return 400;
  if (!version.starts_with(kVersionPrefix)) return 400;
  version.remove_prefix(kVersionPrefix.size());
  if (version.size() != 3 || !has_class(version[0], kDigit) || version[1] != '.' ||
      !has_class(version[2], kDigit)) {
    return 400;
  }
  const Method method = method_from(token);
  if (!valid_target_form(method, target)) return 400;
  if (version[0] != '1') return 505;
  return method == Method::kUnknown ? 501 : 414;
}

}  // namespace hotlap::server
