// The life of a connection: head, body, reply, and again; replies and their writes are here, bodies
// in connection_body.cc. Costs one pass over the head, one call into each stage, and no allocation
// but the stages' own.
#include "server/core/connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <new>
#include <utility>

#include "server/core/service.h"
#include "server/http/target.h"

namespace hotlap::server {
namespace {

constexpr std::string_view kServerAllow = "GET, HEAD, POST, OPTIONS";
constexpr int kHeadSegments = 8;

HeadLimits head_limits(const Limits& limits) {
  return {limits.head_bytes, limits.headers, limits.target_bytes};
}

std::string_view text_of(const iovec& segment) {
  return {static_cast<const char*>(segment.iov_base), segment.iov_len};
}

}  // namespace

ConnectionPtr Connection::create(const Service& service, int fd, std::int64_t now_ms) {
  const ConnectionLayout& layout = service.layout();
  void* const memory = ::operator new (layout.bytes, std::align_val_t{layout.align});
  std::memset(memory, 0, layout.bytes);
  ConnectionPtr connection(new (memory) Connection(service, fd, now_ms));
  const bool opened = service.pipeline().transport->open(connection->transport_state(), fd);
  return opened ? std::move(connection) : nullptr;
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
  arena_.stage = pipeline_.allocation.variant;
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
  pipeline_.response->clear(state_at(service_.layout().response));
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
  while (pipeline_.read_buffer->unread(buffer, scanner_.taken(), &segment, 1) != 0) {
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
  if (line.size() > kMaxRequestLineBytes) return 400;
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
  pipeline_.read_buffer->consume(state_at(service_.layout().read_buffer), head.size());
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

void Connection::respond(ThreadContext& thread) {
  void* const address = state_at(service_.layout().address);
  pipeline_.ballast->spend(pipeline_.ballast.config);
  pipeline_.address->on_request(address, fd_);
  Exchange exchange(pipeline_, state_at(service_.layout().header_map), address, fd_, arena_);
  if (route_ != nullptr) {
    exchange.request = {line_.method, line_.target, query_, line_.minor, body_};
    exchange.table = &service_.routes();
    exchange.route = route_;
    exchange.param = param_;
    route_->handler(exchange);
    return start_reply(thread, exchange.reply, {});
  }
  std::string_view allow;
  if (line_.method == Method::kOptions && line_.target == "*") {
    exchange.reply.status = 204;
    allow = kServerAllow;
  } else if (line_.method == Method::kConnect || line_.method == Method::kTrace) {
    exchange.text(405, status_reason(405));
    allow = kServerAllow;
  } else if (allowed_ != 0) {
    exchange.text(405, status_reason(405));
    allow = arena_.copy(allow_text(allowed_));
  } else {
    exchange.text(404, status_reason(404));
  }
  start_reply(thread, exchange.reply, allow);
}

void Connection::refuse(ThreadContext& thread, HttpStatus status) {
  close_after_ = true;
  Reply reply;
  reply.status = status;
  reply.content_type = "text/plain";
  reply.body = status_reason(status);
  start_reply(thread, reply, {});
}

void Connection::start_reply(ThreadContext& thread, const Reply& reply, std::string_view allow) {
  char date[kDateBytes];
  pipeline_.date->write(thread.date_state.get(), date);
  keep_alive_ = framing_.keep_alive && !close_after_ && !service_.draining();
  file_ = reply.file;
  ReplyHead head;
  head.status = reply.status;
  head.date = date;
  head.content_type = reply.content_type;
  head.has_content_length = reply.status != 204;
  head.content_length = file_.fd >= 0 ? file_.remaining : reply.body.size();
  head.allow = allow;
  if (!keep_alive_) {
    head.connection = ConnectionToken::kClose;
  } else if (framing_.echo_keep_alive) {
    head.connection = ConnectionToken::kKeepAlive;
  }
  const bool head_only = line_.method == Method::kHead;
  if (file_.fd >= 0 && (head_only || file_.remaining == 0)) {
    close(std::exchange(file_.fd, -1));
  }
  Output output;
  pipeline_.response->encode(state_at(service_.layout().response), head,
                             head_only ? std::string_view() : reply.body, arena_, output);
  set_output(output, Phase::kReply);
  deadline_ms_ = thread.now_ms + service_.limits().io_timeout_ms;
}

void Connection::set_output(const Output& output, Phase phase) {
  output_ = output;
  output_at_ = 0;
  output_end_ = output.first_count;
  phase_ = phase;
  want_ = Want::kWrite;
}

std::span<const iovec> Connection::write_segments(ThreadContext& thread) {
  if (phase_ != Phase::kStream) {
    return {output_.segments + output_at_, output_.segments + output_end_};
  }
  const BodyChunk chunk =
      pipeline_.body->next(file_, thread.scratch.get(), ThreadContext::kScratchBytes);
  if (chunk.kind != BodyChunk::Kind::kBytes) return {};
  stream_segment_ = {const_cast<char*>(chunk.data), chunk.size};
  return {&stream_segment_, 1};
}

void Connection::complete_write(ThreadContext& thread, IoResult result) {
  if (result.status != IoStatus::kDone) {
    want_ = Want::kClose;
    return;
  }
  deadline_ms_ = thread.now_ms + service_.limits().io_timeout_ms;
  if (phase_ == Phase::kStream) {
    file_.offset += result.bytes;
    file_.remaining -= result.bytes;
    if (file_.remaining == 0) written(thread);
    return;
  }
  std::size_t left = result.bytes;
  while (output_at_ < output_end_ && left >= output_.segments[output_at_].iov_len) {
    left -= output_.segments[output_at_++].iov_len;
  }
  if (output_at_ < output_end_) {
    iovec& partial = output_.segments[output_at_];
    partial = {static_cast<char*>(partial.iov_base) + left, partial.iov_len - left};
  } else if (output_end_ < output_.count) {
    output_end_ = output_.count;
  } else {
    written(thread);
  }
}

// All that was to be written in this phase is.
void Connection::written(ThreadContext& thread) {
  if (phase_ == Phase::kContinue) {
    phase_ = Phase::kBody;
    return advance(thread);
  }
  if (phase_ == Phase::kReply && file_.fd >= 0) {
    phase_ = Phase::kStream;
    return;
  }
  if (file_.fd >= 0) close(std::exchange(file_.fd, -1));
  end_request(thread);
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
