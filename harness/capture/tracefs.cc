// See tracefs.h.
#include "harness/capture/tracefs.h"

#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "absl/strings/str_cat.h"

namespace hotlap::capture {
namespace {

constexpr char kTracing[] = "/sys/kernel/tracing";
constexpr char kDebugTracing[] = "/sys/kernel/debug/tracing";

}  // namespace

std::string mount_tracefs_command() { return absl::StrCat("mount -t tracefs tracefs ", kTracing); }

absl::StatusOr<std::string> find_tracefs() {
  int error = ENOENT;
  for (const char* place : {kTracing, kDebugTracing}) {
    const std::string events = absl::StrCat(place, "/events");
    if (access(events.c_str(), R_OK | X_OK) == 0) return std::string(place);
    if (errno != ENOENT) error = errno;
  }
  if (error == EACCES) {
    return absl::PermissionDeniedError("tracefs can be read by root only: run as root");
  }
  return absl::FailedPreconditionError(
      absl::StrCat("tracefs is not mounted: `", mount_tracefs_command(), "` as root"));
}

absl::Status mount_tracefs() {
  if (find_tracefs().ok()) return absl::OkStatus();
  if (mount("tracefs", kTracing, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot mount tracefs at ", kTracing));
  }
  return find_tracefs().status();
}

void mount_tracefs_where_allowed() {
  if (!find_tracefs().ok() && geteuid() == 0) mount_tracefs().IgnoreError();
}

absl::StatusOr<uint64_t> tracepoint_id(const std::string& event) {
  const size_t colon = event.find(':');
  if (colon == std::string::npos || event.find('/') != std::string::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", event, "\" is no tracepoint: they are written system:name"));
  }
  const auto tracefs = find_tracefs();
  if (!tracefs.ok()) return tracefs.status();
  const std::string path = absl::StrCat(*tracefs, "/events/", event.substr(0, colon), "/",
                                        event.substr(colon + 1), "/id");
  std::ifstream file(path);
  uint64_t id = 0;
  if (file >> id) return id;
  return absl::NotFoundError(
      absl::StrCat("this kernel has no tracepoint ", event, " (", path, ")"));
}

}  // namespace hotlap::capture
