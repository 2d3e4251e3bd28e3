// See process_tree.h. The kernel's list of a task's children is used where it exists; a pass over
// all of /proc by parent pid elsewhere.
#include "harness/targets/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace hotlap::targets {
namespace {

std::optional<std::string> read_whole(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::string text;
  char buffer[4096];
  ssize_t n;
  while ((n = read(fd, buffer, sizeof buffer)) > 0) text.append(buffer, n);
  close(fd);
  if (n < 0) return std::nullopt;
  return text;
}

// Numeric entries of a directory: processes of /proc, or tasks of a process.
std::vector<pid_t> numeric_entries(const std::string& path) {
  std::vector<pid_t> entries;
  struct Close {
    void operator()(DIR* directory) const { closedir(directory); }
  };
  const std::unique_ptr<DIR, Close> directory(opendir(path.c_str()));
  if (directory == nullptr) return entries;
  while (const dirent* entry = readdir(directory.get())) {
    const int number = std::atoi(entry->d_name);
    if (number > 0) entries.push_back(number);
  }
  return entries;
}

bool kernel_lists_children() { return access("/proc/thread-self/children", R_OK) == 0; }

void append_children(pid_t pid, std::vector<pid_t>& found) {
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  for (const pid_t task : numeric_entries(tasks)) {
    const auto text = read_whole(tasks + "/" + std::to_string(task) + "/children");
    if (!text) continue;
    const char* at = text->c_str();
    char* end = nullptr;
    for (long child = std::strtol(at, &end, 10); end != at; child = std::strtol(at, &end, 10)) {
      found.push_back(static_cast<pid_t>(child));
      at = end;
    }
  }
}

std::vector<pid_t> descendants_by_parent(pid_t root) {
  std::vector<std::pair<pid_t, pid_t>> parent_of;
  for (const pid_t pid : numeric_entries("/proc")) {
    if (const auto stat = read_process_stat(pid)) parent_of.emplace_back(pid, stat->parent);
  }
  std::vector<pid_t> found = {root};
  for (size_t i = 0; i < found.size(); ++i) {
    for (const auto& [pid, parent] : parent_of) {
      if (parent == found[i]) found.push_back(pid);
    }
  }
  return found;
}

}  // namespace

std::optional<ProcessStat> read_process_stat(pid_t pid) {
  const auto text = read_whole("/proc/" + std::to_string(pid) + "/stat");
  if (!text) return std::nullopt;
  // The name in parentheses may hold anything, so the fields are found from its last one.
  const size_t name_end = text->rfind(')');
  if (name_end == std::string::npos || name_end + 4 >= text->size()) return std::nullopt;
  ProcessStat stat;
  stat.state = (*text)[name_end + 2];
  stat.parent = std::atoi(text->c_str() + name_end + 4);
  return stat;
}

std::vector<pid_t> descendants(pid_t root) {
  std::vector<pid_t> found = {root};
  if (kernel_lists_children()) {
    for (size_t i = 0; i < found.size(); ++i) append_children(found[i], found);
  } else {
    found = descendants_by_parent(root);
  }
  std::vector<pid_t> live;
  for (size_t i = 1; i < found.size(); ++i) {
    const auto stat = read_process_stat(found[i]);
    if (stat && stat->state != 'Z' && stat->state != 'X') live.push_back(found[i]);
  }
  return live;
}

}  // namespace hotlap::targets
