// Allocations of a target and the bytes asked for, through a library that is preloaded into it:
// for programs that are linked dynamically and allocate by malloc. Of all others it can be said why
// they cannot be counted so, and then there is no count. Reading costs a microsecond.
#ifndef HOTLAP_HARNESS_CAPTURE_ALLOCATION_COUNT_H_
#define HOTLAP_HARNESS_CAPTURE_ALLOCATION_COUNT_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "harness/capture/allocation_table.h"
#include "harness/capture/preload_library.h"

namespace hotlap::capture {

struct AllocationTotals {
  int64_t allocations = 0;  // calls of malloc and its relatives that gave memory
  int64_t bytes = 0;        // as asked for
  int64_t frees = 0;
};

class AllocationCounts {
 public:
  // Makes the shared table as a file in `directory`, which goes with this object. NOT_FOUND: the
  // library is not where the build or the installation put it.
  static absl::StatusOr<AllocationCounts> create(const std::string& directory);

  // Adds what a target needs to its environment; the library comes before any other that is
  // preloaded, so that a call comes by here before it goes to that one's allocator.
  void add_to(Variables& environment) const;

  // Since create(), of all processes that have or had the library, ended ones too.
  AllocationTotals read() const;

  // OK when every one of these live processes is counted; else FAILED_PRECONDITION with the reason:
  // linked statically, privileges of its own, Go, another malloc within the program.
  absl::Status check(const std::vector<pid_t>& processes) const;

 private:
  class Mapping;
  AllocationCounts() = default;

  std::string library_;
  std::shared_ptr<Mapping> mapping_;
};

// Counts a program's known allocations, twice, and compares the difference. OK when it is exact;
// DATA_LOSS with the numbers when not. Some 10 ms.
absl::Status check_allocation_counting(const std::string& directory);

// Why a program that runs cannot be counted by a preloaded library, from its file; empty when
// nothing speaks against it. For a reason in words only.
std::string uncountable(const std::string& program);

}  // namespace hotlap::capture

#endif  // HOTLAP_HARNESS_CAPTURE_ALLOCATION_COUNT_H_
