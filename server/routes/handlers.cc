// The short handlers. What they cost is what a reply of that size must cost.
#include "server/routes/handlers.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>

#include "server/http/chars.h"

namespace hotlap::server {
namespace {

constexpr std::size_t kDefaultEchoBytes = 64;
constexpr std::string_view kNotFound = "Not Found";

// The value of the first `name=` in a query; false when there is none.
bool query_value(std::string_view query, std::string_view name, std::string_view& value) {
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view pair = query.substr(0, end);
    const std::size_t equals = pair.find('=');
    if (pair.substr(0, equals) == name) {
      value = equals == pair.npos ? std::string_view() : pair.substr(equals + 1);
      return true;
    }
    if (end == query.npos) break;
    query.remove_prefix(end + 1);
  }
  return false;
}

}  // namespace

void answer_hello(Exchange& exchange) { exchange.text(200, "Hello, World!"); }

void answer_ping(Exchange& exchange) { exchange.text(200, "pong"); }

void answer_echo_size(Exchange& exchange) {
  std::string_view digits;
  std::size_t bytes = 0;
  if (query_value(exchange.request.query, "size", digits)) {
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, bytes);
    if (digits.empty() || stop != end || error != std::errc() || bytes > kMaxEchoBytes) {
      return exchange.text(400, "size must be digits, at most 1048576");
    }
  }
  exchange.text(200, exchange.table->filler(bytes == 0 ? kDefaultEchoBytes : bytes));
}

void answer_echo_body(Exchange& exchange) {
  exchange.reply.content_type = "application/octet-stream";
  exchange.reply.body = exchange.request.body;
}

void answer_address(Exchange& exchange) {
  const AddressPair pair = exchange.addresses();
  constexpr std::string_view peer = "peer ";
  constexpr std::string_view local = "\nlocal ";
  const std::size_t size = peer.size() + pair.peer.size() + local.size() + pair.local.size() + 1;
  auto* const text = static_cast<char*>(exchange.arena().allocate(size, 1));
  char* at = text;
  for (const std::string_view part :
       {peer, pair.peer, local, pair.local, std::string_view("\n", 1)}) {
    if (!part.empty()) std::memcpy(at, part.data(), part.size());
    at += part.size();
  }
  exchange.text(200, {text, size});
}

void answer_numbered(Exchange& exchange) {
  std::string_view number = exchange.route->pattern;
  number.remove_prefix(number.rfind('/') + 1);
  exchange.text(200, number);
}

// The name is one segment, so that it holds no slash; hidden names and links are not followed.
void answer_file(Exchange& exchange) {
  const std::string name(exchange.param);
  if (exchange.table->files_directory_fd() < 0 || name.front() == '.')
    return exchange.text(404, kNotFound);
  const int fd = openat(exchange.table->files_directory_fd(), name.c_str(),
                        O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return exchange.text(404, kNotFound);
  struct stat about;
  if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) {
    close(fd);
    return exchange.text(404, kNotFound);
  }
  exchange.reply.content_type = "application/octet-stream";
  exchange.reply.file = {fd, 0, static_cast<std::uint64_t>(about.st_size)};
}

}  // namespace hotlap::server
