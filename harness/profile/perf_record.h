// `perf record` at work on the processes of one target: attached while it runs, its threads and
// the children that it will have included; then its samples as text. A sample costs the target
// some microseconds, mostly the copy of its stack. It dies with the Spawner, as targets do.
#ifndef HOTLAP_HARNESS_PROFILE_PERF_RECORD_H_
#define HOTLAP_HARNESS_PROFILE_PERF_RECORD_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "harness/targets/spawner.h"

namespace hotlap::profile {

// How a stack is followed from frame to frame.
enum class CallGraph {
  kFramePointers,  // cheap; loses the caller of a function without a frame, such as most of libc's
  kUnwindTables,   // a copy of the stack with each sample, followed afterwards
};
const char* call_graph_name(CallGraph call_graph);  // as perf calls it

struct RecordOptions {
  std::vector<pid_t> processes;     // none: everything on this machine
  std::vector<int> cpus;            // where perf itself runs; empty: anywhere
  std::vector<std::string> events;  // as perf record takes them: what, and how often
  std::optional<CallGraph> call_graph = CallGraph::kUnwindTables;  // none: no stacks
  std::string file;  // what it writes; others of this name and an ending stand beside it
};

// Samples of an event, so many a second of a running thread.
std::vector<std::string> sampled(const std::string& event, uint32_t frequency_hz);

// Every switch of a thread to and from a CPU; a sample at every so many-th that it leaves.
std::vector<std::string> switches(uint32_t every);

// That these threads were woken, seen by whoever wakes them: on all CPUs, so without processes.
std::vector<std::string> wake_ups(const std::vector<pid_t>& threads);

// NOT_FOUND, with the remedy, where there is no perf.
absl::Status check_installed();

// The event to sample by here: "cycles" with hardware counters, else "cpu-clock". NOT_FOUND: there
// is no perf, or it is too old; PERMISSION_DENIED: it may not see the kernel's side, where much of
// a server's time is. Both with the remedy.
absl::StatusOr<std::string> choose_event(targets::Spawner& spawner, const std::string& directory);

// Samples a second of a running thread that the kernel allows at most, which it lowers by itself
// where sampling took too long.
uint32_t max_frequency_hz();

// Whether the stacks of all `processes` can be followed by unwind tables. Go's programs have none.
bool have_unwind_tables(const std::vector<pid_t>& processes);

class PerfRecord {
 public:
  // Returns once samples are taken, at times of CLOCK_MONOTONIC.
  static absl::StatusOr<std::unique_ptr<PerfRecord>> attach(targets::Spawner& spawner,
                                                            const RecordOptions& options);

  // OK while it records; else how it ended and what it said. It ends with its last process.
  absl::Status status() const;

  // Ends the recording and waits for perf to have written it.
  void stop();

  // The samples, as read_script() takes them; `with_fields` of tracepoints and probes,
  // `with_stacks` where they were taken. After stop().
  absl::StatusOr<std::string> take_script(bool with_stacks = true, bool with_fields = false);

 private:
  PerfRecord(targets::Spawner& spawner, std::unique_ptr<targets::TargetProcess> process,
             std::string file)
      : spawner_(spawner), process_(std::move(process)), file_(std::move(file)) {}

  targets::Spawner& spawner_;
  std::unique_ptr<targets::TargetProcess> process_;
  std::string file_;
};

// Major and minor of "perf version 6.1.192"; {0, 0} for other text.
std::pair<int, int> perf_version(std::string_view text);

}  // namespace hotlap::profile

#endif  // HOTLAP_HARNESS_PROFILE_PERF_RECORD_H_
