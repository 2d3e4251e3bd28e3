// See file.h.
#include "harness/record/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace hotlap::record {
namespace {

namespace fs = std::filesystem;

absl::Status write_whole(int fd, const std::string& text, const fs::path& path) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      return absl::ResourceExhaustedError(
          absl::StrCat("cannot write ", path.string(), ": ", strerror(errno),
                       "; rounds written before are kept: free some space, or give --out a "
                       "directory elsewhere"));
    }
    done += static_cast<size_t>(n);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status make_run_directory(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_empty(path, error)) {
    return absl::AlreadyExistsError(
        absl::StrCat(path.string(), " exists and is not empty: give --out another directory"));
  }
  fs::create_directories(path, error);
  if (error) {
    return absl::PermissionDeniedError(absl::StrCat("cannot make the run directory ", path.string(),
                                                    ": ", error.message(),
                                                    "; give --out a directory that can be made"));
  }
  return absl::OkStatus();
}

absl::Status write_file(const fs::path& path, int flags, const std::string& text) {
  const int fd = open(path.c_str(), flags | O_WRONLY | O_CLOEXEC, 0644);
  if (fd < 0) {
    return absl::PermissionDeniedError(
        absl::StrCat("cannot open ", path.string(), " for writing: ", strerror(errno)));
  }
  absl::Status status = write_whole(fd, text, path);
  // Some file systems tell only here that there was no room.
  if (close(fd) != 0 && status.ok()) {
    status = absl::ResourceExhaustedError(
        absl::StrCat("cannot finish ", path.string(), ": ", strerror(errno)));
  }
  return status;
}

absl::Status replace_file(const fs::path& path, const std::string& text) {
  fs::path fresh = path;
  fresh += ".new";
  const absl::Status status = write_file(fresh, O_CREAT | O_TRUNC, text);
  std::error_code error;
  if (!status.ok()) {
    fs::remove(fresh, error);
    return status;
  }
  fs::rename(fresh, path, error);
  if (!error) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("cannot replace ", path.string(), ": ", error.message()));
}

}  // namespace hotlap::record
