// The libraries that hotlap preloads into a target where a pass asks for it: where they are, how
// they get before what is preloaded already, and whether a process has one in it.
#ifndef HOTLAP_HARNESS_CAPTURE_PRELOAD_LIBRARY_H_
#define HOTLAP_HARNESS_CAPTURE_PRELOAD_LIBRARY_H_

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace hotlap::capture {

using Variables = std::vector<std::pair<std::string, std::string>>;

inline constexpr char kAllocationLibrary[] = "hotlap-allocations.so";
inline constexpr char kStillClockLibrary[] = "hotlap-still-clock.so";

// lib/hotlap/NAME of the build or the installation that this program belongs to. NOT_FOUND.
absl::StatusOr<std::string> find_beside(const char* name);

// Puts the library before all others in LD_PRELOAD, be they in `environment` or inherited.
void add_preload(const std::string& library, Variables& environment);

// Whether a live process has the file mapped; `path` without symbolic links.
bool has_mapped(pid_t pid, const std::string& path);

}  // namespace hotlap::capture

#endif  // HOTLAP_HARNESS_CAPTURE_PRELOAD_LIBRARY_H_
