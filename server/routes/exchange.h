// One request and its reply, as a handler sees them. Views live until the reply is written.
#pragma once

#include "server/pipeline.h"

namespace hotlap::server {

struct Request {
  Method method = Method::kUnknown;
  std::string_view target;
  std::string_view query;
  int minor = 1;
  std::string_view body;
};

struct Reply {
  HttpStatus status = 200;
  std::string_view content_type;
  std::string_view body;
  FileBody file;  // when fd >= 0 the body is streamed from it; whoever sends it closes it
};

class RouteTable;
struct Route;

class Exchange {
 public:
  Exchange(const Pipeline& pipeline, const void* headers, void* address, int fd, Arena& arena)
      : arena_(arena), pipeline_(pipeline), headers_(headers), address_(address), fd_(fd) {}

  Request request;
  Reply reply;
  const RouteTable* table = nullptr;
  const Route* route = nullptr;  // the one that matched
  std::string_view param;        // of its first `:name`

  Arena& arena() { return arena_; }
  std::size_t header_count() const { return pipeline_.header_map->count(headers_); }
  HeaderField header(std::size_t index) const { return pipeline_.header_map->at(headers_, index); }
  AddressPair addresses() { return pipeline_.address->get(address_, fd_); }

  // A text reply; `body` must live until the reply is written (a literal, or in the arena).
  void text(HttpStatus status, std::string_view body) {
    reply.status = status;
    reply.content_type = "text/plain";
    reply.body = body;
  }

 private:
  Arena& arena_;
  const Pipeline& pipeline_;
  const void* headers_;
  void* address_;
  int fd_;
};

}  // namespace hotlap::server
