// The lasting thread of a Spawner: it forks launchers (a parent-death signal follows the thread),
// drains the output of every target, and reaps.
#ifndef HOTLAP_HARNESS_TARGETS_WATCHER_H_
#define HOTLAP_HARNESS_TARGETS_WATCHER_H_

#include <deque>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "harness/capture/unique_fd.h"
#include "harness/targets/watched_process.h"

namespace hotlap::targets {

// A launcher to start: argv[0] is its path.
struct SpawnRequest {
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // NAME=VALUE, whole
  bool pid_namespace = false;
};

class Watcher {
 public:
  // The thread is pinned to `cpus` unless that is empty.
  static absl::StatusOr<std::shared_ptr<Watcher>> create(const std::vector<int>& cpus);

  // Ends every target, waits for that (bounded), and joins.
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  // Ends every target, without waiting for it; spawn() is refused from then on. Thread-safe.
  void stop();

  // Forks a launcher from the lasting thread. Thread-safe. CANCELLED after stop().
  absl::StatusOr<std::shared_ptr<WatchedProcess>> spawn(SpawnRequest request);

 private:
  using Spawned = absl::StatusOr<std::shared_ptr<WatchedProcess>>;
  struct Order {
    SpawnRequest request;
    std::promise<Spawned> result;
  };
  enum class Stream : int { kControl, kOut, kErr, kLauncher };

  Watcher() = default;

  void run(const std::vector<int>& cpus);
  void take_orders();
  void serve(int fd);
  void add(const std::shared_ptr<WatchedProcess>& process);
  void watch(int fd, const std::shared_ptr<WatchedProcess>& process, Stream stream);
  void forget(int fd);
  void finish(const std::shared_ptr<WatchedProcess>& process);

  struct Watched {
    std::shared_ptr<WatchedProcess> process;
    Stream stream;
  };

  capture::UniqueFd epoll_;
  capture::UniqueFd wake_;
  std::map<int, Watched> watched_;  // by descriptor; of the thread alone

  std::mutex mutex_;
  std::deque<Order> orders_;
  bool stopping_ = false;

  std::thread thread_;
};

}  // namespace hotlap::targets

#endif  // HOTLAP_HARNESS_TARGETS_WATCHER_H_
