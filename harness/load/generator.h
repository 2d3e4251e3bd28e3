// The load generator. A few pinned threads drive several arms, each a group of connections to one
// endpoint. Per request it costs one send and one recv, an epoll_wait shared by all the replies
// that were ready, and one clock read (open loop: two). Two ways to load:
//   run()   slices, closed loop: one arm at a time, with nothing in flight between slices, so that
//           whoever owns the servers reads their clocks at quiet edges;
//   load()  one uninterrupted run, closed or open loop, for `hotlap load`.
// All calls but cancel() come from one thread at a time and return when their work is done.
#ifndef HOTLAP_HARNESS_LOAD_GENERATOR_H_
#define HOTLAP_HARNESS_LOAD_GENERATOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/load/clock.h"
#include "harness/load/endpoint.h"
#include "harness/load/histogram.h"
#include "harness/load/ids.h"
#include "harness/load/outcome.h"
#include "harness/load/pacer.h"
#include "harness/load/replay_log.h"
#include "harness/load/request.h"
#include "harness/load/times.h"
#include "harness/load/tls_wire.h"

namespace hotlap::load {

struct ArmSpec {
  Endpoint endpoint;
  // Sent in turn on each connection, by their weights; each connection begins with another of them.
  std::vector<RequestSpec> requests;
  int connections = 16;                     // exactly so many, dealt over the threads
  bool keep_alive = true;                   // false: a connection for each request
  int pipeline = 1;                         // requests in flight on one connection, at most
  std::int64_t timeout_ns = 5'000'000'000;  // from the send of a request, its connecting included
  // Likewise, until it has a connection, and until a byte of its reply; 0: as timeout_ns.
  std::int64_t connect_timeout_ns = 0;
  std::int64_t first_byte_timeout_ns = 0;
  std::optional<TlsSpec> tls = {};  // plain when absent
  // What `{id}` stands for in `requests`; absent: itself.
  std::optional<Ids> ids = {};
  // Asked for in place of `requests`, of which there is then one, whose headers each request has.
  std::shared_ptr<const ReplayLog> replay = {};
};

struct Opened {
  int asked = 0;
  int achieved = 0;
  std::string error;  // empty when all were opened; else what failed, both numbers, and a remedy
};

struct SliceSpec {
  std::size_t arm = 0;
  // New requests are sent for so long, at least one on each connection; the drain comes on top.
  std::int64_t duration_ns = 0;
};

struct SliceResult {
  std::size_t arm = 0;
  std::int64_t start_ns = 0;     // CLOCK_MONOTONIC, just before the first send
  std::int64_t duration_ns = 0;  // until the last reply was in
  Counts counts;
  std::int64_t bytes_received = 0;
  std::int64_t generator_cpu_ns = 0;  // of all load threads, from edge to edge
  std::int64_t response_ns = 0;       // sum of all response times, failures too: against
                                      // connections x duration it is Little's law for the slice
  std::int64_t late_ns = 0;           // by which the last thread's first send missed start_ns
  std::int64_t tls_handshakes = 0;    // begun and ended in this slice
  std::int64_t tls_resumed = 0;       // of these
  int reopened = 0;                   // connections found dead and opened anew before the slice
};

struct Edge {
  std::size_t slice;  // index into the schedule
  std::size_t arm;
  const SliceResult* result;  // null before the first send; the slice's result after the drain
};

// Called in load thread 0, on its CPU, while nothing is in flight and all other load threads wait.
// Returning false ends the run; a result handed to it is kept.
using EdgeCallback = std::function<bool(const Edge&)>;

struct RunResult {
  std::vector<SliceResult> slices;  // fewer than scheduled when ended early
  bool cancelled = false;           // or stopped
  std::string error;  // a schedule that names an arm that was never opened; nothing was run
};

// Ends at whichever comes first; a zero is no limit, and with both zero only cancel() ends it.
struct LoadPlan {
  std::int64_t duration_ns = 0;
  std::int64_t requests = 0;
  std::int64_t progress_every_ns = 1'000'000'000;
  // How long replies in flight at the end are awaited; what is unanswered then is `in_flight`.
  std::int64_t drain_ns = 1'000'000'000;
  // Open loop: requests start when their time has come, whatever the server does. Absent: closed
  // loop, in which each reply starts the next request.
  std::optional<OpenLoop> open;
};

struct LoadProgress {
  std::int64_t elapsed_ns = 0;
  Counts counts;  // those in flight now are in `started` only; those that wait to be sent as well
  std::int64_t bytes_received = 0;
  const Times& since_last;  // what was timed since the call before
};

struct LoadReport {
  Counts counts;
  Times times;
  std::int64_t wall_ns = 0;     // from the first send until the last reply was in
  std::int64_t sending_ns = 0;  // the part of it in which new requests were sent
  std::int64_t generator_cpu_ns = 0;
  double busiest_thread_share = 0;  // CPU time by wall time, of the load thread that has most
  std::int64_t bytes_received = 0;
  std::int64_t reopened = 0;  // connections opened anew after a failure
  std::int64_t tls_handshakes = 0;
  std::int64_t tls_resumed = 0;  // of these
  std::string tls_protocol;      // of the last of these; empty in plain
  std::string tls_cipher;
  bool cancelled = false;  // or stopped
  // X·R/N after the ramp (a tenth of the run, at most a second): 1 in a sound closed loop. Absent
  // when the run was too short to have a steady part.
  std::optional<double> little_ratio;
  std::optional<Pacing> pacing;  // of the open loop
};

class Generator {
 public:
  // Starts `threads` load threads, number i pinned to cpus[i mod size]; unpinned when `cpus` is
  // empty. Null on failure, and `error` names the CPU or the limit. Tests may put simulated time in
  // place of the machine's, for one thread; it must outlive the generator.
  static std::unique_ptr<Generator> start(const std::vector<int>& cpus, int threads,
                                          std::string& error, SimulatedTime* simulated = nullptr);
  ~Generator();
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  // Only remembers it; what is wrong with it is told by open(). Returns the arm's index.
  std::size_t add_arm(ArmSpec spec);

  // Opens all connections of an arm, and waits for them, at most the arm's timeout. What was
  // achieved stays open also on failure; close() lets go of it. Learned replies survive a reopen.
  Opened open(std::size_t arm);
  void close(std::size_t arm);

  RunResult run(const std::vector<SliceSpec>& schedule, const EdgeCallback& edge);

  // Progress is called in the caller's thread after every `progress_every_ns`, and once at the end.
  LoadReport load(std::size_t arm, const LoadPlan& plan,
                  const std::function<void(const LoadProgress&)>& progress);

  // Response times of run() since the last call, taken and reset: of the expected replies, and
  // apart from them of the failures (until the failure was known). Those of load() are in its
  // report.
  Histogram latency(std::size_t arm);
  Histogram failure_latency(std::size_t arm);

  // The first failure since the last call, in words ("connection 3: reset by the server after 120
  // bytes of a reply"); empty when there was none.
  std::string first_failure(std::size_t arm);

  // From any thread: nothing more is sent, replies in flight get the drain of the plan, as at its
  // end, or with cancel() 100 ms; what is still unanswered counts as in_flight. Both hold for all
  // later calls too.
  void stop();
  void cancel();

 private:
  class Crew;
  explicit Generator(std::unique_ptr<Crew> crew);
  std::unique_ptr<Crew> crew_;
};

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_GENERATOR_H_
