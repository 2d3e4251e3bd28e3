// Costs one io_uring_enter a batch of completions; in it the kernel accepts, reads and writes.
// Tokens are addresses: of a connection, or of the member that an operation of the ring's own is
// about, so that none can be mistaken for another.
#include "server/core/ring.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace hotlap::server {
namespace {

constexpr unsigned kSubmissions = 1024;
constexpr unsigned kCompletions = 8192;  // beyond them the kernel keeps what it has to say itself
constexpr unsigned kBatch = 256;

// Disabled at first: the thread that enables a ring is then the one that may use it.
int set_up(io_uring& ring, unsigned submissions, unsigned completions) {
  io_uring_params params{};
  params.flags = IORING_SETUP_R_DISABLED | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
                 IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CQSIZE;
  params.cq_entries = completions;
  return io_uring_queue_init_params(submissions, &ring, &params);
}

bool passing(int error) { return error == -EINTR || error == -EAGAIN || error == -EBUSY; }

}  // namespace

const char* ring_unsupported_reason() {
  io_uring ring{};
  const int result = set_up(ring, 2, 4);
  if (result == 0) {
    io_uring_queue_exit(&ring);
    return nullptr;
  }
  switch (-result) {
    case ENOSYS:
      return "this kernel has no io_uring";
    case EPERM:
    case EACCES:
      return "io_uring is forbidden here: by `sysctl kernel.io_uring_disabled`, or by the seccomp "
             "profile of a container (docker: --security-opt seccomp=unconfined)";
    case EINVAL:
      return "this kernel's io_uring is older than Linux 6.1, and has no deferred task work";
    case ENOMEM:
      return "no memory may be locked for a ring: raise `ulimit -l`";
    default:
      return "io_uring_setup failed for want of descriptors or memory";
  }
}

Ring::Ring(Service& service, Listener& listener)
    : service_(service),
      listener_(listener),
      admission_(service, listener),
      connections_(service),
      thread_(service.pipeline()),
      discarded_(new char[ThreadContext::kScratchBytes]) {}

Ring::~Ring() {
  if (opened_) io_uring_queue_exit(&ring_);
}

std::string Ring::open() {
  if (std::string error = admission_.open(); !error.empty()) return error;
  if (const int result = set_up(ring_, kSubmissions, kCompletions); result != 0) {
    return std::string("cannot set up an io_uring: ") + std::strerror(-result);
  }
  opened_ = true;
  return {};
}

void Ring::serve() {
  // By hand: Debian's liburing 2.3 declares io_uring_enable_rings() and does not export it.
  if (syscall(__NR_io_uring_register, ring_.ring_fd, IORING_REGISTER_ENABLE_RINGS, nullptr, 0) !=
      0) {
    error_ = std::string("cannot enable an io_uring: ") + std::strerror(errno);
    return service_.stop();
  }
  const bool registered = io_uring_register_ring_fd(&ring_) == 1;  // spares a look-up a call
  start_accept();
  watch_stop(service_.stop_fd());
  if (service_.foreign_stop_fd() >= 0) watch_stop(service_.foreign_stop_fd());
  while (turn()) {
  }
  abandon();
  if (registered) io_uring_unregister_ring_fd(&ring_);
  if (!error_.empty()) service_.stop();
}

// Submits, waits and takes what is complete. False when all is over.
bool Ring::turn() {
  if (!timer_runs_ && (stopping_ || accept_later_ || !connections_.empty())) start_timer();
  if (const int result = io_uring_submit_and_wait(&ring_, 1); result < 0 && !passing(result)) {
    error_ = std::string("io_uring_enter failed: ") + std::strerror(-result);
    return false;
  }
  thread_.now_ms = coarse_now_ms();
  io_uring_cqe* done[kBatch];
  const unsigned count = io_uring_peek_batch_cqe(&ring_, done, kBatch);
  for (unsigned i = 0; i < count; ++i) complete(*done[i]);
  io_uring_cq_advance(&ring_, count);
  if (stop_asked_ && !stopping_) begin_stop();
  return !stopping_ || (!connections_.empty() && thread_.now_ms < stop_by_ms_);
}

void Ring::complete(const io_uring_cqe& done) {
  void* const token = io_uring_cqe_get_data(&done);
  const bool more = (done.flags & IORING_CQE_F_MORE) != 0;
  if (!more) --under_way_;
  if (token == nullptr) return;  // a cancellation: what it cancelled speaks for itself
  if (token == &listener_) {
    complete_accept(done.res, more);
  } else if (token == &sweep_period_) {
    timer_runs_ = false;
    sweep();
  } else if (token == &stop_asked_) {
    stop_asked_ = true;
  } else {
    complete_io(*static_cast<Connection*>(token), done.res);
  }
}

void Ring::complete_accept(int result, bool more) {
  if (result >= 0) take_connection(result);
  if (more || stopping_) return;
  if (result == -EMFILE || result == -ENFILE) {
    // The kernel wants a descriptor before it looks whether anybody waits: asked again at once it
    // would fail again at once, unless one was turned away and others may stand behind it.
    accept_later_ = admission_.make_room() != Admission::Accepted::kRefused;
  } else {
    accept_later_ = result < 0 && result != -ECONNABORTED && !passing(result);
  }
  if (!accept_later_) start_accept();  // else with the next sweep, so that nothing spins
}

void Ring::take_connection(int fd) {
  ConnectionPtr connection = admission_.admit(fd, thread_.now_ms);
  if (connection == nullptr) return;
  const auto index = static_cast<std::size_t>(fd);
  if (flights_.size() <= index) flights_.resize(index + 1);
  if (flights_[index] == nullptr) flights_[index] = std::make_unique<Flight>();
  Connection& added = connections_.add(std::move(connection));
  if (!start_read(added, true)) connections_.remove(added);
}

void Ring::complete_io(Connection& connection, int result) {
  const bool writing = flight_of(connection).writing;
  if (result == -ECANCELED || result == -EINTR) return advance(connection);
  if (writing) {
    const IoStatus status = result > 0 ? IoStatus::kDone : IoStatus::kFailed;
    connection.complete_write(thread_, {status, static_cast<std::size_t>(std::max(result, 0))});
  } else if (result > 0) {
    connection.complete_read(thread_, {IoStatus::kDone, static_cast<std::size_t>(result)}, false);
  } else if (result == -EAGAIN) {
    // The last look at a connection while the server stops: nothing had come.
    return connections_.remove(connection);
  } else {
    connection.complete_read(thread_, {result == 0 ? IoStatus::kEnd : IoStatus::kFailed}, false);
  }
  advance(connection);
}

// Starts what the connection wants next; no operation of it is under way. A passed deadline is
// seen here too, so that a peer that sends a byte now and then cannot hide from it.
void Ring::advance(Connection& connection) {
  for (;;) {
    const bool waits = connection.want() == Connection::Want::kRead ||
                       connection.want() == Connection::Want::kWrite;
    if (waits && connection.deadline_ms() <= thread_.now_ms) connection.time_out(thread_);
    switch (connection.want()) {
      case Connection::Want::kRead:
        if (start_read(connection, false)) return;
        break;
      case Connection::Want::kWrite:
        if (start_write(connection)) return;
        break;
      case Connection::Want::kShutdown:
        shutdown(connection.fd(), SHUT_WR);
        connection.complete_shutdown(thread_);
        break;
      case Connection::Want::kHandshake:  // never: the transport is a direct one
      case Connection::Want::kClose:
        return connections_.remove(connection);
    }
  }
}

// False when it came to nothing, and the connection knows. Between requests the kernel waits for
// bytes before it tries to read; when the server stops it only looks whether some have come.
bool Ring::start_read(Connection& connection, bool fresh) {
  Flight& flight = flight_of(connection);
  flight.writing = false;
  flight.scratch.reset();
  std::swap(thread_.scratch, discarded_);
  const int count = connection.read_segments(thread_, flight.segments, kMaxReadSegments);
  std::swap(thread_.scratch, discarded_);
  if (count == 0) {
    connection.complete_read(thread_, {IoStatus::kFailed}, false);
    return false;
  }
  const bool last_look = service_.draining() && connection.idle();
  const int flags = last_look ? MSG_DONTWAIT : 0;
  io_uring_sqe* const entry = next_entry();
  if (count == 1) {
    io_uring_prep_recv(entry, connection.fd(), flight.segments[0].iov_base,
                       flight.segments[0].iov_len, flags);
  } else {
    flight.message = {};
    flight.message.msg_iov = flight.segments;
    flight.message.msg_iovlen = static_cast<std::size_t>(count);
    io_uring_prep_recvmsg(entry, connection.fd(), &flight.message, static_cast<unsigned>(flags));
  }
  if (!fresh && !last_look && connection.idle()) entry->ioprio |= IORING_RECVSEND_POLL_FIRST;
  io_uring_sqe_set_data(entry, &connection);
  return true;
}

// A file's bytes lie in scratch until they are sent, so that each connection then has its own.
bool Ring::start_write(Connection& connection) {
  Flight& flight = flight_of(connection);
  flight.writing = true;
  const bool streaming = connection.streaming();
  if (streaming && flight.scratch == nullptr) {
    flight.scratch.reset(new char[ThreadContext::kScratchBytes]);
  }
  if (streaming) std::swap(thread_.scratch, flight.scratch);
  const std::span<const iovec> segments = connection.write_segments(thread_);
  if (streaming) std::swap(thread_.scratch, flight.scratch);
  if (segments.empty()) {
    connection.complete_write(thread_, {IoStatus::kFailed});
    return false;
  }
  io_uring_sqe* const entry = next_entry();
  if (segments.size() == 1) {
    io_uring_prep_send(entry, connection.fd(), segments[0].iov_base, segments[0].iov_len,
                       MSG_NOSIGNAL);
  } else {
    flight.message = {};
    flight.message.msg_iov = const_cast<iovec*>(segments.data());
    flight.message.msg_iovlen = segments.size();
    io_uring_prep_sendmsg(entry, connection.fd(), &flight.message, MSG_NOSIGNAL);
  }
  io_uring_sqe_set_data(entry, &connection);
  return true;
}

void Ring::start_accept() {
  accept_later_ = false;
  io_uring_sqe* const entry = next_entry();
  io_uring_prep_multishot_accept(entry, listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC);
  io_uring_sqe_set_data(entry, &listener_);
}

void Ring::start_timer() {
  timer_runs_ = true;
  sweep_period_ = {service_.sweep_ms() / 1000, service_.sweep_ms() % 1000 * 1'000'000LL};
  io_uring_sqe* const entry = next_entry();
  io_uring_prep_timeout(entry, &sweep_period_, 0, 0);
  io_uring_sqe_set_data(entry, &sweep_period_);
}

void Ring::watch_stop(int fd) {
  io_uring_sqe* const entry = next_entry();
  io_uring_prep_poll_add(entry, fd, POLLIN);
  io_uring_sqe_set_data(entry, &stop_asked_);
}

void Ring::cancel(void* token) {
  io_uring_sqe* const entry = next_entry();
  io_uring_prep_cancel(entry, token, 0);
  io_uring_sqe_set_data(entry, nullptr);
}

// What waits beyond its deadline is called back, and advance() then sees why.
void Ring::sweep() {
  if (accept_later_ && !stopping_) start_accept();
  for (const ConnectionPtr& connection : connections_) {
    if (connection->deadline_ms() <= thread_.now_ms) cancel(connection.get());
  }
}

// What has arrived is answered, what is idle is called back and closes.
void Ring::begin_stop() {
  stopping_ = true;
  stop_by_ms_ = thread_.now_ms + service_.limits().drain_timeout_ms;
  cancel(&listener_);
  int fd = -1;
  while (admission_.accept(0, fd) == Admission::Accepted::kOne) take_connection(fd);
  service_.start_draining();
  listener_.close();
  for (const ConnectionPtr& connection : connections_) {
    if (connection->idle()) cancel(connection.get());
  }
}

// Calls back everything and waits for it: only then may the memory of connections go.
void Ring::abandon() {
  io_uring_sqe* const entry = next_entry();
  io_uring_prep_cancel(entry, nullptr, IORING_ASYNC_CANCEL_ANY);
  io_uring_sqe_set_data(entry, nullptr);
  while (under_way_ > 0) {
    const int result = io_uring_submit_and_wait(&ring_, 1);
    if (result < 0 && !passing(result)) return;  // they go with the ring
    io_uring_cqe* done = nullptr;
    while (io_uring_peek_cqe(&ring_, &done) == 0) {
      if (io_uring_cqe_get_data(done) == &listener_ && done->res >= 0) close(done->res);
      if ((done->flags & IORING_CQE_F_MORE) == 0) --under_way_;
      io_uring_cqe_seen(&ring_, done);
    }
  }
  connections_.clear();
}

// Room for one more submission, which the caller prepares.
io_uring_sqe* Ring::next_entry() {
  io_uring_sqe* entry = io_uring_get_sqe(&ring_);
  while (entry == nullptr) {
    io_uring_submit(&ring_);
    entry = io_uring_get_sqe(&ring_);
  }
  ++under_way_;
  return entry;
}

Ring::Flight& Ring::flight_of(const Connection& connection) {
  return *flights_[static_cast<std::size_t>(connection.fd())];
}

}  // namespace hotlap::server
