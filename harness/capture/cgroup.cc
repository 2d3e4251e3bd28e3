// See cgroup.h.
#include "harness/capture/cgroup.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace hotlap::capture {
namespace {

constexpr char kStat[] = "cpu.stat";
constexpr char kUsageKey[] = "usage_usec ";
constexpr char kVersion1[] = "cpuacct.usage";
constexpr int64_t kNsPerUs = 1000;

UniqueFd open_file(const std::string& path) {
  return UniqueFd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

}  // namespace

absl::StatusOr<CgroupCpu> CgroupCpu::open(const std::string& directory) {
  CgroupCpu cpu;
  for (const char* name : {kVersion1, kStat}) {
    cpu.path_ = absl::StrCat(directory, "/", name);
    cpu.file_ = open_file(cpu.path_);
    cpu.is_stat_ = name == kStat;
    if (!cpu.file_.valid()) continue;
    // Version 1 has a cpu.stat too, of throttling alone.
    const auto now = cpu.read_ns();
    if (now.ok()) return cpu;
  }
  return absl::NotFoundError(
      absl::StrCat(directory,
                   " tells no CPU time: it has neither usage_usec in cpu.stat (version 2) nor "
                   "cpuacct.usage (version 1); name it under the mount of one of these"));
}

absl::StatusOr<int64_t> CgroupCpu::read_ns() const {
  char text[512];
  const ssize_t n = pread(file_.get(), text, sizeof text - 1, 0);
  // The cgroup of a target that is gone goes too.
  if (n < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path_));
  text[n] = '\0';
  const char* number = is_stat_ ? strstr(text, kUsageKey) : text;
  if (number != nullptr && is_stat_) number += sizeof kUsageKey - 1;
  char* end = nullptr;
  const int64_t value = number == nullptr ? 0 : strtoll(number, &end, 10);
  if (number == nullptr || end == number) {
    return absl::DataLossError(absl::StrCat(path_, " holds no CPU time"));
  }
  return is_stat_ ? value * kNsPerUs : value;
}

std::vector<std::string> cgroup_mounts(const std::string& mounts) {
  std::ifstream file(mounts);
  std::vector<std::string> found;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string device, place, type, options;
    words >> device >> place >> type >> options;
    const bool counts_cpu =
        type == "cgroup" && absl::StrContains(absl::StrCat(",", options, ","), ",cpuacct,");
    if (type == "cgroup2" || counts_cpu) found.push_back(place);
  }
  return found;
}

absl::StatusOr<std::string> find_cgroup(const std::string& path,
                                        const std::vector<std::string>& mounts) {
  std::error_code ignored;
  std::vector<std::string> places;
  for (const std::string& mount : mounts) {
    const bool within = absl::StartsWith(path, mount + "/");
    // As /proc/PID/cgroup writes it, "/system.slice/x", or without the slash.
    places.push_back(within ? path
                            : absl::StrCat(mount, absl::StartsWith(path, "/") ? "" : "/", path));
    if (std::filesystem::is_directory(places.back(), ignored)) return places.back();
  }
  if (mounts.empty()) {
    return absl::NotFoundError(absl::StrCat("no cgroup ", path,
                                            ": this machine has no cgroups mounted that count CPU "
                                            "time (see `mount -t cgroup2`)"));
  }
  return absl::NotFoundError(
      absl::StrCat("no cgroup ", path, ": neither of ", absl::StrJoin(places, ", "), " is there"));
}

absl::Status enter_cgroup(const std::string& directory, pid_t pid) {
  const std::string path = directory + "/cgroup.procs";
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  const std::string text = absl::StrCat(pid, "\n");
  if (file.valid() &&
      write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) {
    return absl::OkStatus();
  }
  return absl::ErrnoToStatus(
      errno, absl::StrCat("cannot move the target into the cgroup ", directory,
                          " (it takes root, or a cgroup that is delegated to this user)"));
}

}  // namespace hotlap::capture
