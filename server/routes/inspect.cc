// /inspect: the request as parsed, as one line of JSON with its keys in a fixed order. Bytes that
// are not ASCII are shown as the code point of the same number, so that any value is valid JSON.
#include <openssl/sha.h>

#include "server/routes/handlers.h"

namespace hotlap::server {
namespace {

constexpr char kHex[] = "0123456789abcdef";

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_sha256(std::string& out, std::string_view body) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(body.data()), body.size(), digest);
  for (const unsigned char byte : digest) {
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
}

}  // namespace

void answer_inspect(Exchange& exchange) {
  const Request& request = exchange.request;
  std::string json = "{\"method\":";
  append_quoted(json, method_name(request.method));
  json += ",\"target\":";
  append_quoted(json, request.target);
  json += ",\"version\":\"HTTP/1." + std::to_string(request.minor) + "\",\"headers\":[";
  for (std::size_t i = 0; i < exchange.header_count(); ++i) {
    const HeaderField field = exchange.header(i);
    json += i == 0 ? "[" : ",[";
    append_quoted(json, field.name);
    json += ',';
    append_quoted(json, field.value);
    json += ']';
  }
  json += "],\"body_length\":" + std::to_string(request.body.size()) + ",\"body_sha256\":\"";
  append_sha256(json, request.body);
  json += "\"}";
  exchange.reply.content_type = "application/json";
  exchange.reply.body = exchange.arena().copy(json);
}

}  // namespace hotlap::server
