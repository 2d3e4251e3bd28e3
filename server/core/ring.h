// Serves one listening socket by completion: an io_uring does accepting, reading and writing, and
// the same machine as everywhere (connection.h) is told what came of each. One operation is under
// way for every connection, so that its memory is its own only between two of them: it is never
// destroyed while one is. One thread calls serve(); no other touches a ring meanwhile.
#pragma once

#include <liburing.h>

#include <memory>
#include <string>
#include <vector>

#include "server/core/admission.h"
#include "server/core/roster.h"

namespace hotlap::server {

// Null where this kernel permits what Ring needs, else why not.
const char* ring_unsupported_reason();

class Ring {
 public:
  Ring(Service& service, Listener& listener);
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // Empty, or what went wrong.
  std::string open();
  // Serves until the order to stop was given and the drain is over, or something broke: error()
  // says so, and the whole service is then told to stop.
  void serve();
  const std::string& error() const { return error_; }

 private:
  // What the kernel looks at while an operation is under way, one a descriptor.
  struct Flight {
    iovec segments[kMaxReadSegments];
    msghdr message;
    bool writing;
    std::unique_ptr<char[]> scratch;  // of a file that is being sent
  };

  bool turn();
  void complete(const io_uring_cqe& done);
  void complete_accept(int result, bool more);
  void complete_io(Connection& connection, int result);
  void take_connection(int fd);
  void advance(Connection& connection);
  bool start_read(Connection& connection, bool fresh);
  bool start_write(Connection& connection);
  void start_accept();
  void start_timer();
  void watch_stop(int fd);
  void cancel(void* token);
  void sweep();
  void begin_stop();
  void abandon();
  io_uring_sqe* next_entry();
  Flight& flight_of(const Connection& connection);

  Service& service_;
  Listener& listener_;
  Admission admission_;
  Roster connections_;
  ThreadContext thread_;
  io_uring ring_{};
  bool opened_ = false;
  std::size_t under_way_ = 0;  // operations whose last completion is still to come
  std::vector<std::unique_ptr<Flight>> flights_;
  std::unique_ptr<char[]> discarded_;  // where lingering connections read to
  __kernel_timespec sweep_period_{};
  bool timer_runs_ = false;
  bool accept_later_ = false;
  bool stop_asked_ = false;
  bool stopping_ = false;
  std::int64_t stop_by_ms_ = 0;
  std::string error_;
};

}  // namespace hotlap::server
