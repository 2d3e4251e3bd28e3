// How a connection answers: from the route to a reply, from the reply to segments, and these to the
// wire, however little of them a write takes. A refusal is a reply after which all ends.
#include <unistd.h>

#include <utility>

#include "server/core/connection.h"
#include "server/core/service.h"

namespace hotlap::server {
namespace {

constexpr std::string_view kServerAllow = "GET, HEAD, POST, OPTIONS";

}  // namespace

void Connection::respond(ThreadContext& thread) {
  void* const address = state_at(service_.layout().address);
  pipeline_.ballast->spend(pipeline_.ballast.config);
  if (pipeline_.address->on_request != nullptr) pipeline_.address->on_request(address, fd_);
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
  file_part_bytes_ = 0;
  if (phase_ != Phase::kStream) {
    return {output_.segments + output_at_, output_.segments + output_end_};
  }
  const BodyChunk chunk =
      pipeline_.body->next(file_, thread.scratch.get(), ThreadContext::kScratchBytes);
  if (chunk.kind == BodyChunk::Kind::kSendFile) file_part_bytes_ = chunk.size;
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

}  // namespace hotlap::server
