// How a connection takes bytes in: where reads go to, and the body of a request. A body that lies
// whole in the read buffer is used where it lies; a long one of known length is read straight into
// its store.
#include <algorithm>

#include "server/core/connection.h"
#include "server/core/service.h"

namespace hotlap::server {
namespace {

constexpr std::size_t kDirectReadBytes = 256 * 1024;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

int Connection::read_segments(ThreadContext& thread, iovec* segments, int capacity) {
  direct_read_ = false;
  if (phase_ == Phase::kLinger) {
    segments[0] = {thread.scratch.get(), ThreadContext::kScratchBytes};
    return 1;
  }
  if (reads_body_directly()) {
    direct_read_ = true;
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(
        framing_.content_length - decoder_.decoded_bytes(), kDirectReadBytes));
    segments[0] = {body_store_.room(wanted), wanted};
    return 1;
  }
  return pipeline_.read_buffer->prepare(state_at(service_.layout().read_buffer), segments,
                                        capacity);
}

// Reads in this phase follow only when the read buffer is empty.
bool Connection::reads_body_directly() const {
  return phase_ == Phase::kBody && !framing_.chunked && route_ != nullptr && route_->wants_body &&
         decoder_.decoded_bytes() < framing_.content_length;
}

void Connection::commit(std::size_t bytes) {
  if (phase_ == Phase::kLinger) return;
  if (direct_read_) {
    decoder_.step({body_store_.room(bytes), bytes});
    body_store_.added(bytes);
    return;
  }
  pipeline_.read_buffer->commit(state_at(service_.layout().read_buffer), bytes);
  unread_bytes_ += bytes;
}

void Connection::consume(std::size_t bytes) {
  pipeline_.read_buffer->consume(state_at(service_.layout().read_buffer), bytes);
  unread_bytes_ -= bytes;
}

void Connection::complete_read(ThreadContext& thread, IoResult result, bool again) {
  switch (result.status) {
    case IoStatus::kDone:
      commit(result.bytes);
      break;
    case IoStatus::kEnd:
      peer_ended_ = true;
      break;
    case IoStatus::kFailed:
      want_ = Want::kClose;
      return;
    case IoStatus::kNeedRead:
    case IoStatus::kNeedWrite:
      break;
  }
  if (!again) advance(thread);
}

void Connection::start_body(ThreadContext& thread) {
  const Limits& limits = service_.limits();
  const bool wanted = route_ != nullptr && route_->wants_body;
  if (!wanted &&
      (framing_.expect_continue || framing_.content_length > limits.drained_body_bytes)) {
    close_after_ = true;
    return respond(thread);
  }
  if (framing_.chunked) {
    BodyLimits body_limits;
    body_limits.body_bytes = wanted ? limits.body_bytes : limits.drained_body_bytes;
    body_limits.trailer_bytes = limits.head_bytes;
    body_limits.trailers = limits.headers;
    decoder_.start_chunked(body_limits);
  } else {
    decoder_.start_length(framing_.content_length);
  }
  if (!framing_.expect_continue) {
    phase_ = Phase::kBody;
    return;
  }
  Output output;
  output.segments[0] = {const_cast<char*>(kContinue.data()), kContinue.size()};
  output.count = output.first_count = 1;
  set_output(output, Phase::kContinue);
  deadline_ms_ = thread.now_ms + limits.io_timeout_ms;
}

void Connection::advance_body(ThreadContext& thread) {
  void* const buffer = state_at(service_.layout().read_buffer);
  const bool wanted = route_ != nullptr && route_->wants_body;
  iovec segment;
  while (!decoder_.done() && unread_bytes_ > 0 &&
         pipeline_.read_buffer->unread(buffer, 0, &segment, 1) != 0) {
    const BodyDecoder::Step step = decoder_.step(text_of(segment));
    consume(step.consumed);
    if (step.state == BodyDecoder::State::kRefused) {
      if (wanted || decoder_.status() != 413) {
        refuse(thread, decoder_.status());
      } else {
        close_after_ = true;
        respond(thread);
      }
      return;
    }
    if (!wanted) continue;
    if (decoder_.done() && body_store_.view().empty()) {
      body_ = step.data;
    } else {
      body_store_.append(step.data);
    }
  }
  if (decoder_.done()) {
    if (!body_store_.view().empty()) body_ = body_store_.view();
    return respond(thread);
  }
  deadline_ms_ = thread.now_ms + service_.limits().io_timeout_ms;
  wait_for_bytes();
}

}  // namespace hotlap::server
