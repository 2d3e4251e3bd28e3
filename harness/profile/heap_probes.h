// Probes at the entries of libc's allocation functions, which perf records like any event: calls
// with the size that was asked for, by whatever code they come. A call that is seen costs some
// microseconds, and one of another process that has the same libc nothing. They need root.
#ifndef HOTLAP_HARNESS_PROFILE_HEAP_PROBES_H_
#define HOTLAP_HARNESS_PROFILE_HEAP_PROBES_H_

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace hotlap::profile {

// OK where this process may set probes; else why not, with the remedy.
absl::Status may_set_probes();

class HeapProbes {
 public:
  // In the libc at `path`; `name` tells these probes from others of this process.
  // PERMISSION_DENIED, FAILED_PRECONDITION: not here, with the remedy; NOT_FOUND: that libc has no
  // malloc.
  static absl::StatusOr<std::unique_ptr<HeapProbes>> set(const std::string& path,
                                                         const std::string& name);
  // Takes them out again; nothing may record them any more.
  ~HeapProbes();
  HeapProbes(const HeapProbes&) = delete;
  HeapProbes& operator=(const HeapProbes&) = delete;

  // As perf record takes them: a sample at every so many-th call of each function.
  std::vector<std::string> events(uint32_t every) const;

 private:
  explicit HeapProbes(std::string group) : group_(std::move(group)) {}

  std::string group_;
  std::vector<std::string> functions_;
};

// The libc that all these processes have, by its path. FAILED_PRECONDITION: why calls of one of
// them cannot be seen: it is Go's or linked statically, or has an allocator of its own.
absl::StatusOr<std::string> common_libc(const std::vector<pid_t>& processes);

// Bytes asked for, of the fields of a probe, "hotlap_7_a:malloc: (7f00) size=64". Nothing of a call
// that goes on to another function with a probe, which tells it: realloc of nothing, and what asks
// for no more than the usual alignment. Nothing of a realloc to nothing, which frees, and of other
// text.
std::optional<double> allocated_bytes(std::string_view fields);

}  // namespace hotlap::profile

#endif  // HOTLAP_HARNESS_PROFILE_HEAP_PROBES_H_
