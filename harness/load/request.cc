// Builds a request's bytes once, before any load.
#include "harness/load/request.h"

#include <algorithm>

#include "harness/load/http_text.h"

namespace hotlap::load {
namespace {

bool has(const RequestSpec& spec, std::string_view name) {
  return std::any_of(spec.headers.begin(), spec.headers.end(),
                     [&](const auto& header) { return same_ignoring_case(header.first, name); });
}

// What is wrong with the spec, empty when nothing is.
std::string fault_of(const RequestSpec& spec) {
  if (!is_token(spec.method)) return "the method '" + spec.method + "' is not an HTTP token";
  if (spec.method == "CONNECT") return "CONNECT opens a tunnel and cannot be loaded";
  if (!is_target(spec.target)) {
    return "the target '" + spec.target +
           "' is empty or has a space or control character in it; "
           "percent-encode it";
  }
  for (const auto& [name, value] : spec.headers) {
    if (!is_token(name)) return "the header name '" + name + "' is not an HTTP token";
    if (!is_field_value(value)) {
      return "the value of header '" + name + "' has a control character in it";
    }
    if (same_ignoring_case(name, "upgrade")) {
      return "the header 'Upgrade' asks for another protocol and cannot be loaded";
    }
  }
  if (spec.expected_status < 200 || spec.expected_status > 999) {
    return "the expected status " + std::to_string(spec.expected_status) +
           " is not that of a final reply (200 to 999)";
  }
  const bool of_body = spec.expected_length.value_or(0) > 0 || !spec.expected_sha256.empty();
  if (spec.method == "HEAD" && of_body) return "a reply to HEAD has no body to expect anything of";
  return "";
}

}  // namespace

std::optional<Request> build_request(const RequestSpec& spec, const Endpoint& endpoint,
                                     bool keep_alive, std::string& error) {
  error = fault_of(spec);
  if (!error.empty()) return std::nullopt;
  Request request;
  std::string& wire = request.wire;
  wire = spec.method + " " + spec.target + " HTTP/1.1\r\n";
  if (!has(spec, "host")) wire += "Host: " + endpoint.host() + "\r\n";
  for (const auto& [name, value] : spec.headers) wire += name + ": " + value + "\r\n";
  const bool takes_body = spec.method == "POST" || spec.method == "PUT" || spec.method == "PATCH";
  if ((takes_body || !spec.body.empty()) && !has(spec, "content-length") &&
      !has(spec, "transfer-encoding")) {
    wire += "Content-Length: " + std::to_string(spec.body.size()) + "\r\n";
  }
  if (!keep_alive && !has(spec, "connection")) wire += "Connection: close\r\n";
  wire += "\r\n";
  wire += spec.body;
  request.head = spec.method == "HEAD";
  request.expected_status = spec.expected_status;
  request.body_rule = spec.body_rule;
  request.expected_body = spec.expected_body;
  request.expected_length = spec.expected_length;
  request.expected_sha256 = spec.expected_sha256;
  return request;
}

}  // namespace hotlap::load
