// The life of a connection: head, body (connection_body.cc), reply (connection_reply.cc), and
// again. Costs one pass over the head, one call into each stage, and no allocation but the stages'
// own.
#include "server/core/connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <new>

#include "server/core/service.h"
#include "server/http/long_line.h"
#include "server/http/target.h"

namespace hotlap::server {
namespace {

constexpr int kHeadSegments = 8;

HeadLimits head_limits(const Limits& limits) {
  return {limits.head_bytes, limits.headers, limits.target_bytes};
}

}  // namespace

ConnectionPtr Connection::create(const Service& service, int fd, std::int64_t now_ms) {
  const ConnectionLayout& layout = service.layout();
  void* const memory = ::operator new (layout.bytes, std::align_val_t{layout.align});
  std::memset(memory, 0, layout.bytes);
  ConnectionPtr connection(new (memory) Connection(service, fd, now_ms));
  const TransportStage& transport = *service.pipeline().transport.get();
  if (!transport.open(connection->transport_state(), service.transport_server(), fd)) {
    return nullptr;
  }
  if (transport.handshake != nullptr) {
    connection->phase_ = Phase::kHandshake;
    connection->want_ = Want::kHandshake;
    connection->deadline_ms_ = now_ms + service.limits().head_timeout_ms;
  }
  return connection;
}

void DestroyConnection::operator()(Connection* connection) const {
  const std::align_val_t align{connection->service_.layout().align};
  connection->~Connection();
  ::operator delete(static_cast<void*>(connection), align);
}

Connection::Connection(const Service& service, int fd, std::int64_t now_ms)
    : service_(service),
      pipeline_(service.pipeline()),
      fd_(fd),
      deadline_ms_(now_ms + service.limits().idle_timeout_ms),
      scanner_(head_limits(service.limits())) {
  const ConnectionLayout& layout = service.layout();
  arena_.stage = pipeline_.allocation.get();
  arena_.state = state_at(layout.allocation);
  pipeline_.allocation->init(arena_.state, arena_);
  pipeline_.read_buffer->init(state_at(layout.read_buffer));
  pipeline_.header_map->init(state_at(layout.header_map));
  pipeline_.address->init(state_at(layout.address));
  pipeline_.response->init(state_at(layout.response));
}

Connection::~Connection() {
  const ConnectionLayout& layout = service_.layout();
  if (file_.fd >= 0) close(file_.fd);
  pipeline_.response->destroy(state_at(layout.response));
  pipeline_.header_map->destroy(state_at(layout.header_map));
  pipeline_.read_buffer->destroy(state_at(layout.read_buffer));
  pipeline_.allocation->destroy(arena_.state, arena_);
  pipeline_.transport->close(transport_state());
  close(fd_);
}

void* Connection::receive_state() { return state_at(service_.layout().receive); }
void* Connection::transport_state() { return state_at(service_.layout().transport); }

// One that failed still lingers: our word on why must not be overtaken by a reset.
void Connection::complete_handshake(ThreadContext& thread, IoResult result) {
  switch (result.status) {
    case IoStatus::kDone:
      phase_ = Phase::kHead;
      want_ = Want::kRead;
      deadline_ms_ = thread.now_ms + service_.limits().idle_timeout_ms;
      break;
    case IoStatus::kEnd:
      want_ = Want::kClose;
      break;
    case IoStatus::kFailed:
      want_ = Want::kShutdown;
      break;
    case IoStatus::kNeedRead:
    case IoStatus::kNeedWrite:
      break;
  }
}

void Connection::begin_request(ThreadContext& thread) {
  scanner_.reset();
  line_ = RequestLine();
  framing_ = Framing();
  route_ = nullptr;
  allowed_ = 0;
  body_ = {};
  close_after_ = false;
  head_started_ = false;
  phase_ = Phase::kHead;
  deadline_ms_ = thread.now_ms + service_.limits().idle_timeout_ms;
}

void Connection::end_request(ThreadContext& thread) {
  if (!keep_alive_) {
    want_ = Want::kShutdown;
    return;
  }
  if (pipeline_.response->clear != nullptr) {
    pipeline_.response->clear(state_at(service_.layout().response));
  }
  pipeline_.header_map->clear(state_at(service_.layout().header_map));
  pipeline_.allocation->reset(arena_.state, arena_);
  body_store_.clear();
  begin_request(thread);
  advance(thread);
}

void Connection::advance(ThreadContext& thread) {
  if (phase_ == Phase::kHead) advance_head(thread);
  if (phase_ == Phase::kBody) advance_body(thread);
  if (phase_ == Phase::kLinger) wait_for_bytes();
}

void Connection::wait_for_bytes() { want_ = peer_ended_ ? Want::kClose : Want::kRead; }

void Connection::advance_head(ThreadContext& thread) {
  void* const buffer = state_at(service_.layout().read_buffer);
  iovec segment;
  while (unread_bytes_ > scanner_.taken() &&
         pipeline_.read_buffer->unread(buffer, scanner_.taken(), &segment, 1) != 0) {
    const std::string_view bytes = text_of(segment);
    const bool at_start = scanner_.taken() == 0;
    switch (scanner_.scan(bytes)) {
      case HeadScanner::State::kMore:
        continue;
      case HeadScanner::State::kRefused:
        return refuse(thread, scanner_.status());
      case HeadScanner::State::kComplete:
        return accept_head(thread, at_start ? bytes.substr(0, scanner_.taken()) : whole_head());
    }
  }
  if (!head_started_ && scanner_.started()) {
    head_started_ = true;
    deadline_ms_ = thread.now_ms + service_.limits().head_timeout_ms;
  }
  wait_for_bytes();
}

// The head in one piece: where it lies, or copied if it spans segments.
std::string_view Connection::whole_head() {
  const void* const buffer = state_at(service_.layout().read_buffer);
  const std::size_t size = scanner_.taken();
  iovec segments[kHeadSegments];
  std::size_t copied = 0;
  char* copy = nullptr;
  while (copied < size) {
    const int count = pipeline_.read_buffer->unread(buffer, copied, segments, kHeadSegments);
    for (int i = 0; i < count && copied < size; ++i) {
      const std::string_view bytes = text_of(segments[i]).substr(0, size - copied);
      if (bytes.size() == size) return bytes;
      if (copy == nullptr) copy = static_cast<char*>(arena_.allocate(size, 1));
      std::memcpy(copy + copied, bytes.data(), bytes.size());
      copied += bytes.size();
    }
  }
  return {copy, size};
}

HttpStatus Connection::parse_head(std::string_view head) {
  const std::size_t line_length = scanner_.line_length();
  const std::size_t block_at = scanner_.head_offset() + line_length + 2;
  const std::string_view line = head.substr(scanner_.head_offset(), line_length);
  if (line.size() > kMaxRequestLineBytes) return refusal_of_long_line(line);
  HttpStatus status = pipeline_.request_line->parse(line, line_);
  if (status != kAccepted) return status;
  FramingFields fields;
  status = pipeline_.header_map->parse(state_at(service_.layout().header_map),
                                       head.substr(block_at, head.size() - block_at - 2), arena_,
                                       fields);
  if (status != kAccepted) return status;
  framing_ = judge_framing(fields, line_.minor);
  if (framing_.status == kAccepted && framing_.content_length > service_.limits().body_bytes) {
    return 413;
  }
  return framing_.status;
}

void Connection::accept_head(ThreadContext& thread, std::string_view head) {
  if (const HttpStatus status = parse_head(head); status != kAccepted) {
    return refuse(thread, status);
  }
  consume(head.size());
  if (!framing_.chunked && framing_.content_length == 0) {
    find_route();
    return respond(thread);
  }
  // The body may come with later reads, which may move the head: what is still viewed is kept.
  line_.target = arena_.copy(line_.target);
  find_route();
  start_body(thread);
}

void Connection::find_route() {
  if (line_.method == Method::kConnect || line_.method == Method::kTrace) return;
  const TargetParts parts = split_target(line_.target);
  const RouteMatch match = service_.match(line_.method, parts.path);
  query_ = parts.query;
  allowed_ = match.allowed;
  if (match.route < 0) return;
  route_ = &service_.routes().routes()[static_cast<std::size_t>(match.route)];
  param_ = match.param_count > 0 ? match.params[0] : std::string_view();
}

void Connection::complete_shutdown(ThreadContext& thread) {
  phase_ = Phase::kLinger;
  deadline_ms_ = thread.now_ms + service_.limits().linger_timeout_ms;
  wait_for_bytes();
}

void Connection::time_out(ThreadContext& thread) {
  const bool in_head = phase_ == Phase::kHead && scanner_.started();
  if (in_head || phase_ == Phase::kBody) return refuse(thread, 408);
  want_ = Want::kClose;
}

}  // namespace hotlap::server
