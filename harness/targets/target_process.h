// A server under test that runs: where it listens, which processes it consists of, whether it
// lives, and its end. Destroying the object kills the whole tree and waits for that (bounded).
#ifndef HOTLAP_HARNESS_TARGETS_TARGET_PROCESS_H_
#define HOTLAP_HARNESS_TARGETS_TARGET_PROCESS_H_

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "harness/targets/target_spec.h"

namespace hotlap::targets {

class WatchedProcess;

class TargetProcess {
 public:
  TargetProcess(TargetSpec spec, std::string arm, Endpoint endpoint, std::string echo,
                std::string program, std::shared_ptr<WatchedProcess> process);
  ~TargetProcess();
  TargetProcess(const TargetProcess&) = delete;
  TargetProcess& operator=(const TargetProcess&) = delete;

  const TargetSpec& spec() const { return spec_; }
  const Endpoint& endpoint() const { return endpoint_; }
  const std::string& program() const { return program_; }  // path that was executed; "" for URLs

  // The second line of a pipeline target without its leading word `pipeline`, as the server
  // resolved it; empty for other kinds.
  const std::string& echo() const { return echo_; }

  bool started_here() const { return process_ != nullptr; }  // false for URLs

  // Host pid of the target's root; 0 for URLs.
  pid_t pid() const;

  // Host pids of all live processes of the target, root first; empty for URLs or when dead.
  // Walks /proc: tens of microseconds a process, so not within slices.
  std::vector<pid_t> tree() const;

  // True while the root runs, or has exited 0 and left daemons that do. URLs always are.
  bool alive() const;

  // OK while alive; else an error that names the arm and the target, how it ended (exit code or
  // signal), and the last lines of its output.
  absl::Status status() const;

  // Waits until the root has ended, at most so long; whether it has. At once for URLs.
  bool await_end(absl::Duration patience) const;

  // Readable (POLLIN) from the moment that the root has ended; -1 for URLs. For event loops.
  int exit_fd() const;

  // The last 4 KiB of stdout and stderr together.
  std::string output_tail() const;

  // SIGTERM to the root, up to `grace` for the whole tree to end, then SIGKILL to all of it
  // (stopped processes die as well). Returns how the root ended: "exited with code 0", "killed by
  // signal 9 (Killed)". Idempotent.
  std::string stop(absl::Duration grace = absl::Seconds(2));

 private:
  TargetSpec spec_;
  std::string arm_;
  Endpoint endpoint_;
  std::string echo_;
  std::string program_;
  std::shared_ptr<WatchedProcess> process_;
};

}  // namespace hotlap::targets

#endif  // HOTLAP_HARNESS_TARGETS_TARGET_PROCESS_H_
