// See whole_file.h.
#include "harness/capture/whole_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "harness/capture/unique_fd.h"

namespace hotlap::capture {

std::optional<std::string> read_whole_file(const std::string& path) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return std::nullopt;
  std::string text;
  std::array<char, 4096> buffer;
  ssize_t n;
  while ((n = read(fd.get(), buffer.data(), buffer.size())) > 0 || (n < 0 && errno == EINTR)) {
    if (n > 0) text.append(buffer.data(), static_cast<size_t>(n));
  }
  if (n < 0) return std::nullopt;
  return text;
}

std::vector<pid_t> threads_of(pid_t process) {
  struct Close {
    void operator()(DIR* directory) const { closedir(directory); }
  };
  std::vector<pid_t> threads;
  const std::string tasks = absl::StrCat("/proc/", process, "/task");
  const std::unique_ptr<DIR, Close> directory(opendir(tasks.c_str()));
  if (directory == nullptr) return threads;
  while (const dirent* entry = readdir(directory.get())) {
    pid_t thread = 0;
    if (absl::SimpleAtoi(entry->d_name, &thread)) threads.push_back(thread);
  }
  return threads;
}

}  // namespace hotlap::capture
