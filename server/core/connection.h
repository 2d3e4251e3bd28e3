// One connection as a machine that does no I/O itself: it says what it wants next, somebody does
// it (after readiness or by completion), and tells it what came of it. Its memory is one allocation
// that also holds the per-connection state of every stage.
//
//   want(): kHandshake -> complete_handshake();  kRead -> read_segments(), complete_read();
//   kWrite -> write_segments(), complete_write();  kShutdown -> complete_shutdown();
//   kClose -> destroy it
#pragma once

#include <atomic>
#include <memory>
#include <span>

#include "server/core/body_store.h"
#include "server/core/thread_context.h"
#include "server/http/body_decoder.h"
#include "server/http/scanner.h"
#include "server/routes/table.h"

namespace hotlap::server {

class Service;
class Connection;

struct DestroyConnection {
  void operator()(Connection* connection) const;
};
using ConnectionPtr = std::unique_ptr<Connection, DestroyConnection>;

class Connection {
 public:
  enum class Want : std::uint8_t { kHandshake, kRead, kWrite, kShutdown, kClose };

  // Takes ownership of fd. Null when the transport could not be set up.
  static ConnectionPtr create(const Service& service, int fd, std::int64_t now_ms);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int fd() const { return fd_; }
  Want want() const { return want_; }

  void complete_handshake(ThreadContext& thread, IoResult result);
  // Where to read to: at most `capacity` segments; 0 when no more memory may be taken.
  int read_segments(ThreadContext& thread, iovec* segments, int capacity);
  // `again`: another read follows before what arrived is to be looked at.
  void complete_read(ThreadContext& thread, IoResult result, bool again);
  // What to write. Empty: file_part() tells what the kernel is to send instead; when that is empty
  // too there is nothing to be had (a file that cannot be read), and complete_write() gets kFailed.
  std::span<const iovec> write_segments(ThreadContext& thread);
  struct FilePart {
    int fd = -1;
    std::uint64_t offset = 0;
    std::size_t bytes = 0;
  };
  FilePart file_part() const { return {file_.fd, file_.offset, file_part_bytes_}; }
  void complete_write(ThreadContext& thread, IoResult result);
  void complete_shutdown(ThreadContext& thread);

  // A deadline passed: answers 408 where one is due, else wants to close.
  void time_out(ThreadContext& thread);
  std::int64_t deadline_ms() const { return deadline_ms_; }
  // Between requests, with nothing of the next one received, or before the first.
  bool idle() const {
    return phase_ == Phase::kHandshake || (phase_ == Phase::kHead && !scanner_.started());
  }
  // What write_segments() gives next lies in the thread's scratch.
  bool streaming() const { return phase_ == Phase::kStream; }

  void* receive_state();
  void* transport_state();

  // Of whoever owns and waits for this connection; the machine does not touch them.
  std::size_t owner_slot = 0;
  std::uint32_t interest = 0;
  enum Custody : std::uint8_t {
    kParked,  // with its owner, waiting
    kServed,  // handed out
    kMissed,  // handed out, and an event came meanwhile
  };
  std::atomic<std::uint8_t> custody{kParked};

 private:
  friend struct DestroyConnection;
  enum class Phase : std::uint8_t { kHandshake, kHead, kBody, kContinue, kReply, kStream, kLinger };

  Connection(const Service& service, int fd, std::int64_t now_ms);
  ~Connection();

  template <class T = void>
  T* state_at(std::size_t offset) {
    return reinterpret_cast<T*>(reinterpret_cast<char*>(this) + offset);
  }

  void begin_request(ThreadContext& thread);
  void end_request(ThreadContext& thread);
  void advance(ThreadContext& thread);
  void commit(std::size_t bytes);
  void consume(std::size_t bytes);
  void advance_head(ThreadContext& thread);
  void advance_body(ThreadContext& thread);
  std::string_view whole_head();
  void accept_head(ThreadContext& thread, std::string_view head);
  HttpStatus parse_head(std::string_view head);
  void find_route();
  void start_body(ThreadContext& thread);
  bool reads_body_directly() const;
  void respond(ThreadContext& thread);
  void refuse(ThreadContext& thread, HttpStatus status);
  void start_reply(ThreadContext& thread, const Reply& reply, std::string_view allow);
  void set_output(const Output& output, Phase phase);
  void written(ThreadContext& thread);
  void wait_for_bytes();

  // The order is that of use in a request.
  const Service& service_;
  const Pipeline& pipeline_;
  int fd_;
  Phase phase_ = Phase::kHead;
  Want want_ = Want::kRead;
  bool peer_ended_ = false;
  bool keep_alive_ = true;
  bool close_after_ = false;   // this reply is the last, whatever the request said
  bool head_started_ = false;  // the deadline is that of a head
  bool direct_read_ = false;   // the last read_segments() pointed into body_store_
  std::int64_t deadline_ms_ = 0;
  std::size_t unread_bytes_ = 0;  // in the read buffer: that there are none needs no call
  HeadScanner scanner_;
  RequestLine line_;
  Framing framing_;
  const Route* route_ = nullptr;
  std::uint32_t allowed_ = 0;
  std::string_view query_;
  std::string_view param_;
  std::string_view body_;
  Arena arena_;
  Output output_;
  int output_at_ = 0;   // next segment to write
  int output_end_ = 0;  // end of the present write
  iovec stream_segment_{};
  FileBody file_;
  std::size_t file_part_bytes_ = 0;
  BodyDecoder decoder_;
  BodyStore body_store_;
};

}  // namespace hotlap::server
