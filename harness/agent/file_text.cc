// See file_text.h.
#include "harness/agent/file_text.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "harness/capture/whole_file.h"

namespace hotlap::agent {

absl::StatusOr<std::string> read_file(const std::string& flag, const std::string& path) {
  auto text = capture::read_whole_file(path);
  if (text) return *std::move(text);
  return absl::NotFoundError(
      absl::StrCat(flag, " ", path, ": the file cannot be read: ", strerror(errno)));
}

}  // namespace hotlap::agent
