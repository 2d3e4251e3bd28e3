// Hand-written, one pass, a table look-up a byte. Costs no allocation and no copy.
#include "server/http/chars.h"
#include "server/http/target.h"
#include "server/stages/request_line.h"

namespace hotlap::variants {
namespace {

using namespace server;

constexpr std::string_view kVersionPrefix = "HTTP/";

HttpStatus parse(std::string_view line, RequestLine& out) {
  const char* const begin = line.data();
  const char* const end = begin + line.size();
  const char* at = begin;
  while (at != end && has_class(*at, kTokenChar)) ++at;
  if (at == begin || at == end || *at != ' ') return 400;
  const std::string_view method(begin, static_cast<std::size_t>(at - begin));
  const char* const target_begin = ++at;
  while (at != end && has_class(*at, kTargetChar)) ++at;
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

}  // namespace

extern constinit const RequestLineStage request_line_scalar = {
    .info = {.name = "scalar",
             .summary = "hand-written, one pass over the line",
             .costs = "no allocation, no copy; one table look-up a byte"},
    .parse = parse,
};

}  // namespace hotlap::variants
