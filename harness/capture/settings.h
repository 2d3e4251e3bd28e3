// What a prepared machine has set, and hotlap can set and take back without harm: one file under
// /proc or /sys each, or the mount of tracefs. Reading and writing only; what was there before is
// for the caller to remember. Paths hang under a root that a test may choose.
#ifndef HOTLAP_HARNESS_CAPTURE_SETTINGS_H_
#define HOTLAP_HARNESS_CAPTURE_SETTINGS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace hotlap::capture {

inline constexpr char kNotMounted[] = "not mounted";
inline constexpr char kMounted[] = "mounted";

struct Setting {
  std::string name;    // "governor"; the CPUs' own share one name
  std::string path;    // "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
  std::string found;   // as it is
  std::string wanted;  // as it should be
  std::string effect;  // of the change, in words

  bool is_mount() const { return wanted == kMounted || wanted == kNotMounted; }
};

// All that are not as they should be, in a fixed order. What this machine does not have, or does
// not let be chosen, is none of them.
std::vector<Setting> unfit_settings(const std::string& root = "/");

// As a shell would make the change of `setting.path` to `setting.wanted`.
std::string command_of(const Setting& setting);

// The value of a setting as it is now: a word, or the chosen one of "always [madvise] never".
absl::StatusOr<std::string> read_setting(const std::string& root, const Setting& setting);

// Makes it `setting.wanted` and reads it back: what did not take is an error.
absl::Status apply_setting(const std::string& root, const Setting& setting);

}  // namespace hotlap::capture

#endif  // HOTLAP_HARNESS_CAPTURE_SETTINGS_H_
