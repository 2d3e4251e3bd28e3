// Starts servers under test, each under a small launcher (hotlap-launch), and promises that none
// outlives the process that owns the Spawner, whatever kills it and how, grandchildren and daemons
// included: a PID namespace per target where allowed, else a subreaper that walks its tree.
// One lasting thread does it all: a parent-death signal follows the thread that forked, so targets
// must not be launched from threads that come and go. The same thread drains the targets' output,
// so that a chatty target never blocks. Costs: one thread, two launcher processes per target.
#ifndef HOTLAP_HARNESS_TARGETS_SPAWNER_H_
#define HOTLAP_HARNESS_TARGETS_SPAWNER_H_

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "harness/targets/companion.h"
#include "harness/targets/target_process.h"
#include "harness/targets/target_spec.h"

namespace hotlap::targets {

struct SpawnerOptions {
  std::string launcher;             // path of hotlap-launch; empty: beside the running binary
  std::vector<int> watcher_cpus;    // where the draining thread may run; empty: anywhere
  bool allow_pid_namespace = true;  // false: the subreaper, as on machines that allow no more
};

struct LaunchOptions {
  std::string arm;            // as messages name it ("a")
  std::string bin_directory;  // of hotlap-server and its like; empty: beside this binary
  std::string program;        // overrides the program's path: StagedProgram::path(slot)
  std::vector<int> cpus;      // the target's affinity; empty: as inherited
  std::vector<std::pair<std::string, std::string>> environment;  // added to our own;
                                                                 // the launcher does not see it
  uint32_t padding_bytes = 0;  // HOTLAP_PADDING=xxx… of this length; 0: not set
  uint16_t port = 0;           // of a command; 0: a free one is picked
  absl::Duration start_timeout = absl::Seconds(10);
  std::vector<std::string> wrapper;  // put before the target's argv ("valgrind", …)
  bool traceable = false;  // any process of this user may trace it (Yama's PR_SET_PTRACER)
  // Called with the host pid of the target while it waits just before exec: open inherited
  // counters (enable_on_exec) here. An error ends the launch.
  std::function<absl::Status(pid_t)> before_exec;
};

class Watcher;

class Spawner {
 public:
  static absl::StatusOr<std::unique_ptr<Spawner>> create(SpawnerOptions options);

  // Kills every target that still runs. TargetProcess objects stay valid and say so.
  ~Spawner();
  Spawner(const Spawner&) = delete;
  Spawner& operator=(const Spawner&) = delete;

  // Starts a target and returns once it accepts connections. Thread-safe. For a URL nothing is
  // started: the result has an endpoint and no process. Errors name arm and target:
  //   NotFound            the program does not exist
  //   FailedPrecondition  it exited at once (its code or signal, and the tail of its output),
  //                       it listens elsewhere (where), or the port is taken
  //   DeadlineExceeded    it never listened within start_timeout
  absl::StatusOr<std::unique_ptr<TargetProcess>> launch(const TargetSpec& spec,
                                                        const LaunchOptions& options);

  // Starts a program that watches a target, and returns once it is at work. Thread-safe, and may be
  // called from before_exec. NotFound: there is no such program; FailedPrecondition: what it
  // printed or how it ended; DeadlineExceeded: it never said that it is ready.
  absl::StatusOr<std::unique_ptr<TargetProcess>> launch_companion(const CompanionOptions& options);

  // Ends every target now, also those that are still starting or hang, whose launch() then fails;
  // further launches are refused (CANCELLED). Returns at once. Thread-safe.
  void end_all();

  // Whether targets get a PID namespace here, found by trying once; else why not.
  absl::Status pid_namespace_status() const { return pid_namespace_status_; }

 private:
  Spawner() = default;

  SpawnerOptions options_;
  absl::Status pid_namespace_status_;
  std::shared_ptr<Watcher> watcher_;
};

}  // namespace hotlap::targets

#endif  // HOTLAP_HARNESS_TARGETS_SPAWNER_H_
