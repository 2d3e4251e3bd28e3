// Names of methods. The table is in the order of the enum.
#include "server/http/head.h"

namespace hotlap::server {
namespace {
constexpr std::string_view kNames[] = {"GET",     "HEAD",    "POST",  "PUT",   "DELETE",
                                       "CONNECT", "OPTIONS", "TRACE", "PATCH", "?"};
}  // namespace

std::string_view method_name(Method method) { return kNames[static_cast<unsigned>(method)]; }

Method method_from(std::string_view token) {
  if (token == "GET") return Method::kGet;
  for (unsigned index = 1; index < static_cast<unsigned>(Method::kUnknown); ++index) {
    if (token == kNames[index]) return static_cast<Method>(index);
  }
  return Method::kUnknown;
}

}  // namespace hotlap::server
