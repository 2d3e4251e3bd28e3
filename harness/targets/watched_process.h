// What is known of one launched target while it runs: written by the Watcher's thread, read and
// waited for by anyone.
#ifndef HOTLAP_HARNESS_TARGETS_WATCHED_PROCESS_H_
#define HOTLAP_HARNESS_TARGETS_WATCHED_PROCESS_H_

#include <sys/types.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "harness/capture/unique_fd.h"
#include "harness/targets/launch_protocol.h"

namespace hotlap::targets {

// The last bytes of a stream.
class OutputTail {
 public:
  static constexpr size_t kBytes = 4096;

  void append(const char* bytes, size_t count);
  std::string text() const;

 private:
  std::string kept_;  // up to twice kBytes, so that old bytes are dropped now and then only
};

// How a wait status reads: "exited with code 1", "killed by signal 11 (Segmentation fault)".
std::string describe_wait_status(int status);

class WatchedProcess {
 public:
  // What has become known; a consistent copy.
  struct State {
    pid_t root_pid = 0;                    // 0 until the target waits for kGo
    std::optional<LaunchMessage> failure;  // kExecFailed or kSetupFailed
    std::optional<int> root_status;        // wait status
    bool gone = false;                     // every process of the target has ended
    std::vector<std::string> lines;        // the first lines of stdout, at most kLines
  };
  static constexpr size_t kLines = 2;
  static constexpr size_t kLineBytes = 16 * 1024;  // of the first lines together

  WatchedProcess(pid_t launcher_pid, bool pid_namespace, capture::UniqueFd launcher_pidfd,
                 capture::UniqueFd control, capture::UniqueFd out, capture::UniqueFd err);

  State state() const;
  std::string output_tail() const;

  // Waits until `done` holds of the state; false when `deadline` came first.
  bool await(const std::function<bool(const State&)>& done, absl::Time deadline) const;

  // Lets the target exec.
  absl::Status go();

  // A signal to the root, to nobody when it has ended.
  void signal_root(int signal) const;

  // Asks the launcher to end everything, or ends the launcher itself.
  void request_end() const;
  void kill_launcher() const;

  std::vector<pid_t> tree() const;
  bool alive() const;
  int root_pidfd() const { return root_pidfd_.get(); }

 private:
  friend class Watcher;

  // Called by the Watcher's thread. The read functions return false once their stream has ended.
  bool read_control();
  bool read_output(int fd, bool is_stdout);
  void finish_ended();

  void take_message(const LaunchMessage& message, pid_t sender);
  void take_output(const char* bytes, size_t count, bool is_stdout);

  const pid_t launcher_pid_;
  const bool pid_namespace_;
  const capture::UniqueFd launcher_pidfd_;
  const capture::UniqueFd control_;
  const capture::UniqueFd out_;
  const capture::UniqueFd err_;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  State state_;
  std::string partial_line_;
  size_t line_bytes_ = 0;
  OutputTail tail_;
  capture::UniqueFd root_pidfd_;  // set once, before root_pid is seen
};

// Kills every process of the target and waits for that; bounded at some seconds.
void end_tree(const WatchedProcess& process);

}  // namespace hotlap::targets

#endif  // HOTLAP_HARNESS_TARGETS_WATCHED_PROCESS_H_
