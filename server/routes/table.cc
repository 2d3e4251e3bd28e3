// The routes of STAGES in the order in which they are registered.
#include "server/routes/table.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "server/routes/handlers.h"

namespace hotlap::server {
namespace {

constexpr std::uint32_t kGetHead = method_bit(Method::kGet) | method_bit(Method::kHead);
constexpr std::uint32_t kPostOnly = method_bit(Method::kPost);

}  // namespace

std::string allow_text(std::uint32_t methods) {
  std::string text;
  for (unsigned index = 0; index < static_cast<unsigned>(Method::kUnknown); ++index) {
    const auto method = static_cast<Method>(index);
    if ((methods & method_bit(method)) == 0) continue;
    if (!text.empty()) text += ", ";
    text += method_name(method);
  }
  return text;
}

void RouteTable::CloseFd::operator()(int* fd) const {
  ::close(*fd);
  delete fd;  // tidy: allow naked-new: this is the deleter of the pointer that owns it
}

RouteTable::RouteTable(const RouteSettings& settings) : filler_(kMaxEchoBytes, 'x') {
  routes_ = {
      {kGetHead, "/hello", false, answer_hello},     {kGetHead, "/ping", false, answer_ping},
      {kGetHead, "/echo", false, answer_echo_size},  {kPostOnly, "/echo", true, answer_echo_body},
      {kGetHead, "/address", false, answer_address}, {kGetHead, "/inspect", true, answer_inspect},
      {kGetHead, "/file/:name", false, answer_file},
  };
  for (std::size_t k = 0; k < settings.numbered_routes; ++k) {
    routes_.push_back({kGetHead, "/route/" + std::to_string(k), false, answer_numbered});
  }
  if (settings.files_directory.empty()) return;
  const int fd = open(settings.files_directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    files_fd_.reset(new int(fd));
  } else {
    error_ = "cannot serve files from '" + settings.files_directory + "': " + std::strerror(errno) +
             "; give an existing directory with --files";
  }
}

std::vector<RoutePattern> RouteTable::patterns() const {
  std::vector<RoutePattern> patterns;
  for (const Route& route : routes_) patterns.push_back({route.methods, route.pattern});
  return patterns;
}

std::string_view RouteTable::filler(std::size_t bytes) const {
  return std::string_view(filler_).substr(0, bytes);
}

}  // namespace hotlap::server
