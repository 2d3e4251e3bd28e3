// One thread's share of one arm: some connections, an epoll instance of their own (so that idle
// connections of other arms cost nothing), and the loop that keeps requests on each of them: as
// many as the pipelining depth (closed loop), or those whose time has come (open loop). In steady
// keep-alive load a request costs one send, one recv, a share of an epoll_wait and one clock read
// (open loop: two): no epoll_ctl, no allocation. Time-outs hang on one timerfd that is set anew
// only when it has fired. Used by one thread; only published() and hand_over() may be called from
// another.
#ifndef HOTLAP_HARNESS_LOAD_LANE_H_
#define HOTLAP_HARNESS_LOAD_LANE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/load/arm.h"
#include "harness/load/clock.h"
#include "harness/load/connection.h"
#include "harness/load/free_slots.h"
#include "harness/load/outcome.h"
#include "harness/load/pacer.h"
#include "harness/load/times.h"
#include "harness/load/wires.h"

namespace hotlap::load {

// Whether all load is to end before its time, and how.
enum class Ending : std::uint8_t {
  kNone,
  kStop,    // nothing more is sent; replies get the stint's drain, a second at most
  kCancel,  // likewise, and a short time only
};

// How long to drive, and what else to do meanwhile.
struct Stint {
  std::int64_t start_ns = 0;                    // where the open loop's plan begins
  std::int64_t stop_ns = 0;                     // no request is started from then on
  std::int64_t drain_ns = INT64_MAX;            // replies get so long after the stop
  std::atomic<std::int64_t>* budget = nullptr;  // requests left, over all lanes
  bool revive = false;  // reopen failed connections at once, as part of the load
  std::int64_t steady_from_ns = INT64_MAX;
  std::int64_t publish_every_ns = 0;  // at start_ns + so much, twice so much, …; 0: never
  const OpenLoop* open = nullptr;     // null: the closed loop
};

struct LaneTotals {
  Counts counts;
  std::int64_t bytes_received = 0;
  std::int64_t response_ns = 0;
  std::int64_t first_send_ns = 0;
  std::int64_t last_reply_ns = 0;
  std::int64_t stopped_ns = 0;  // when sending ended
  std::int64_t reopened = 0;
  std::int64_t tls_handshakes = 0;
  std::int64_t tls_resumed = 0;  // of these
  std::string tls_protocol;      // of the last of these
  std::string tls_cipher;
  // Over the steady part: requests in flight integrated over time, and that time by connections.
  std::int64_t steady_in_flight_ns = 0;
  std::int64_t steady_capacity_ns = 0;
};

class Lane {
 public:
  // Connections `first`, `first + stride`, … of the arm. `buffer` is the thread's own, shared by
  // its lanes. `end_fd` is readable once `ending` is set.
  Lane(Arm& arm, int first, int stride, std::span<char> buffer, int end_fd,
       const std::atomic<Ending>& ending, Clock clock);

  // Connects what is closed and waits, at most the arm's time-out. Returns how many stand.
  int open();
  void close();
  // errno of the first connection that could not be opened; 0 when none failed.
  int open_error() const { return open_error_; }
  // A connect's failure in words; EPROTO is the last one of TLS.
  std::string connect_fault(int error) const;

  // Before a slice: looks at idle connections once, opens dead ones anew. Adds to the totals.
  void prepare();
  void drive(const Stint& stint);
  // Waits up to `wait_ms` for bytes that nobody asked for, on idle connections.
  void probe(int wait_ms);

  LaneTotals take_totals();
  // All that was timed and not taken before.
  void take_times(Times& sum);
  void take_latency(Histogram& sum);
  void take_failure_latency(Histogram& sum);
  std::string take_first_failure();
  // How the open loop's plan was kept, of the last drive(); null after a closed loop.
  const Pacing* pacing() const { return pacer_ ? &pacer_->pacing() : nullptr; }

  struct Published {
    Counts counts;
    std::int64_t bytes_received = 0;
    std::int64_t at_ns = 0;  // INT64_MAX: all that this drive() had to tell
  };
  Published published();
  // Adds what was timed up to the last publishing, and was not handed over before; `spare` is empty
  // and comes back so.
  void hand_over(Times& sum, Times& spare);

 private:
  using State = Connection::State;
  using Health = Connection::Health;

  // lane.cc: the loop and its timers.
  bool busy() const;
  int wait(std::span<epoll_event> events, bool& time_to_tend);
  void begin_all();
  void start_ready();
  void on_event(Connection& connection, std::uint32_t events);
  void tend();
  void end_sending(std::int64_t now);
  void give_up_in_flight(std::int64_t now);
  std::int64_t in_flight_ns(std::int64_t now) const;
  void set_timer(std::int64_t at_ns);
  void forget_published();
  void publish(std::int64_t now);
  bool in_budget(std::int64_t now);
  Wait waits_for(const Connection& connection) const;
  std::int64_t deadline_ns(const Connection& connection) const;
  bool expire(Connection& connection, std::int64_t now);
  void revive(Connection& connection, std::int64_t now);
  std::int64_t next_occasion(std::int64_t now) const;
  bool to_end() const { return ending_.load(std::memory_order_relaxed) != Ending::kNone; }
  bool usable() const { return epoll_.valid() && timer_.valid(); }

  // lane_connect.cc: opening, closing, idle connections.
  int connect(Connection& connection);
  void ready_to_send(Connection& connection);
  int connected(Connection& connection);
  void await_connects();
  void watch(Connection& connection, int operation, bool writable);
  void drop(Connection& connection, Health health);
  void on_idle_event(Connection& connection);

  // lane_tls.cc: what TLS changes.
  int shake_hands(Connection& connection);
  void begin_tls(Connection& connection);
  void end_tls(Connection& connection);
  ssize_t receive(Connection& connection);
  ssize_t send(Connection& connection, std::string_view bytes);
  void fail_to_read(Connection& connection, int error);
  Outcome connect_outcome(int error) const;

  // lane_open.cc: the open loop.
  void begin_open();
  void dispatch();
  bool wait_is_over(std::int64_t free_ns);
  void end_open();
  void release(Connection& connection, std::int64_t now);

  // lane_send.cc: requests on their way out.
  void start_next(Connection& connection, std::int64_t now);
  void start(Connection& connection, std::int64_t intended, std::int64_t now, std::uint64_t number);
  void send_rest(Connection& connection);
  bool send_some(Connection& connection);
  void flush_sends();

  // lane_exchange.cc: replies, and what becomes of their requests.
  void read_reply(Connection& connection, std::uint32_t events);
  void take_bytes(Connection& connection, std::string_view bytes, bool half_closed);
  void read_slowly(Connection& connection, std::string_view& bytes, bool half_closed);
  void begin_reply(Connection& connection);
  void on_end_of_stream(Connection& connection);
  ReplyMemo& memo(Connection& connection);
  ExpectedBody& expected_body(Connection& connection);
  Outcome judge(Connection& connection);
  std::string fault_of_body(Connection& connection, const Request& request);
  void complete(Connection& connection, Outcome outcome, bool keep);
  void settle(Connection& connection, Outcome outcome, std::int64_t now);
  void fail(Connection& connection, Outcome outcome, std::int64_t now, std::string_view why);
  void note_failure(const Connection& connection, std::string_view why);

  Arm& arm_;
  std::span<char> buffer_;
  const std::atomic<Ending>& ending_;
  const Clock clock_;
  const Share share_;
  Fd epoll_;
  Fd timer_;
  std::vector<Connection> connections_;
  std::vector<ReplyMemo> memos_;
  Wires wires_;
  std::uint64_t next_number_;  // of the closed loop: first, first + stride, … of the arm's stream
  // For their next request, once the batch has been read, and when they became so.
  std::vector<FreeSlot> ready_;
  std::vector<Connection*> to_send_;  // with pipelining: what they start goes out together
  int open_error_ = 0;
  std::string tls_fault_;

  Stint stint_;
  std::int64_t stop_ns_ = 0;  // of the stint, or 0 once sending has ended
  std::int64_t drain_until_ns_ = INT64_MAX;
  std::int64_t publish_at_ns_ = INT64_MAX;
  std::int64_t timer_at_ns_ = INT64_MAX;
  std::int64_t steady_began_ns_ = 0;
  std::int64_t steady_base_ns_ = 0;
  int in_flight_ = 0;
  int dead_ = 0;

  std::optional<Pacer> pacer_;  // of the open loop
  FreeSlots free_;              // likewise

  LaneTotals totals_;
  Times times_;
  std::string first_failure_;

  std::mutex publish_mutex_;
  Published published_;
  std::unique_ptr<Times> handed_;  // made when first published; swapped, so that no lane copies
  bool handed_full_ = false;
};

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_LANE_H_
