// One listening socket, one readiness state, and the connections accepted there. wait() hands out
// what is ready; whoever served it gives each back. Without `pooled` all happens in one thread and
// registrations last; with it, other threads may give back, and each event must be armed anew.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "server/core/admission.h"
#include "server/core/driver.h"
#include "server/core/roster.h"

namespace hotlap::server {

class Poller {
 public:
  Poller(Service& service, Listener& listener, bool pooled);
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  std::string open();
  // Waits, accepts, looks at deadlines and at the order to stop. False when all is over: stopped,
  // and every connection done or the bound passed.
  bool wait(std::vector<Ready>& ready, std::int64_t& now_ms);
  // After serving: `wait_for` is what drive() returned. give_back() is for any thread; false when
  // what the connection waits for came meanwhile, and it stays with that thread.
  void settle(Connection& connection, std::uint32_t wait_for);
  bool give_back(Connection& connection, std::uint32_t wait_for);

 private:
  static constexpr int kBatch = 256;

  // Asked for anew each time, so that it is a constant where a pipeline is fused (server/fused).
  const ReadinessStage& readiness() const { return *service_.pipeline().readiness.get(); }

  void accept_some();
  void accept_later();
  void take_connection(int fd);
  void take_event(const ReadyEvent& event, std::vector<Ready>& ready);
  void sweep(std::vector<Ready>& ready);
  void begin_stop(std::vector<Ready>& ready);
  void reap();
  void remove(Connection& connection);
  bool claim(Connection& connection);
  void park(Connection& connection);
  std::uint32_t armed(std::uint32_t interest) const {
    return pooled_ ? interest | kOnce : interest;
  }

  Service& service_;
  Listener& listener_;
  const bool pooled_;
  StageState state_;
  Admission admission_;
  Roster connections_;
  bool opened_ = false;
  int wake_fd_ = -1;
  std::int64_t now_ms_ = coarse_now_ms();
  std::int64_t next_sweep_ms_ = 0;
  bool accepts_later_ = false;  // the listener is not watched before the next sweep
  bool stop_asked_ = false;
  bool stopping_ = false;
  std::int64_t stop_by_ms_ = 0;
  std::mutex returned_mutex_;
  std::vector<Connection*> returned_;  // to be destroyed by this poller's own thread
  ReadyEvent events_[kBatch];
};

}  // namespace hotlap::server
