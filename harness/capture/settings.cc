// See settings.h.
#include "harness/capture/settings.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "harness/capture/unique_fd.h"

namespace hotlap::capture {
namespace {

namespace fs = std::filesystem;

constexpr char kTracing[] = "/sys/kernel/tracing";
constexpr char kCpus[] = "/sys/devices/system/cpu";
constexpr int kParanoidThatCountsKernel = 1;

std::string at(const std::string& root, const std::string& path) {
  return root == "/" ? path : root + path;
}

std::string word_of(const std::string& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  const size_t open = line.find('[');
  const size_t close = line.find(']');
  if (open != std::string::npos && close != std::string::npos && open < close) {
    return line.substr(open + 1, close - open - 1);
  }
  return line.substr(0, line.find_last_not_of(" \t") + 1);
}

bool has_word(const std::string& file, const std::string& word) {
  std::ifstream stream(file);
  std::string found;
  while (stream >> found) {
    if (found == word) return true;
  }
  return false;
}

class Search {
 public:
  explicit Search(const std::string& root) : root_(root) {}

  // `fits` says of what is there whether it may stay; a file that is not there always may.
  void look(const std::string& name, const std::string& path, const std::string& wanted,
            const std::string& effect, const std::function<bool(const std::string&)>& fits) {
    const std::string found = word_of(at(root_, path));
    if (found.empty() || fits(found)) return;
    unfit_.push_back({name, path, found, wanted, effect});
  }

  void number(const std::string& name, const std::string& path, int at_most,
              const std::string& effect) {
    look(name, path, absl::StrCat(at_most), effect, [at_most](const std::string& found) {
      int value = 0;
      return !absl::SimpleAtoi(found, &value) || value <= at_most;
    });
  }

  void word(const std::string& name, const std::string& path, const std::string& wanted,
            const std::string& effect) {
    look(name, path, wanted, effect,
         [&wanted](const std::string& found) { return found == wanted; });
  }

  void tracefs() {
    for (const char* place : {kTracing, "/sys/kernel/debug/tracing"}) {
      if (fs::exists(at(root_, std::string(place) + "/events"), ignored_)) return;
    }
    if (!fs::is_directory(at(root_, kTracing), ignored_)) return;
    unfit_.push_back(
        {"tracefs", kTracing, kNotMounted, kMounted, "system calls are counted, all and by name"});
  }

  void governors() {
    std::vector<std::string> paths;
    for (const auto& entry : fs::directory_iterator(at(root_, kCpus), ignored_)) {
      const std::string name = entry.path().filename().string();
      const bool is_cpu = name.starts_with("cpu") && name.size() > 3 &&
                          name.find_first_not_of("0123456789", 3) == std::string::npos;
      const std::string directory = absl::StrCat(kCpus, "/", name, "/cpufreq/");
      if (is_cpu && has_word(at(root_, directory + "scaling_available_governors"), "performance")) {
        paths.push_back(directory + "scaling_governor");
      }
    }
    std::sort(paths.begin(), paths.end(), [](const std::string& x, const std::string& y) {
      return x.size() != y.size() ? x.size() < y.size() : x < y;  // cpu2 before cpu10
    });
    for (const std::string& path : paths) {
      word("governor", path, "performance", "the clock rate no longer follows the load");
    }
  }

  void congestion_control() {
    const std::string directory = "/proc/sys/net/ipv4/";
    if (!has_word(at(root_, directory + "tcp_available_congestion_control"), "cubic")) return;
    look("congestion_control", directory + "tcp_congestion_control", "cubic",
         "fresh connections of foreign servers are less noisy",
         [](const std::string& found) { return found == "cubic" || found == "reno"; });
  }

  std::vector<Setting> take() { return std::move(unfit_); }

 private:
  const std::string root_;
  std::vector<Setting> unfit_;
  std::error_code ignored_;
};

absl::Status mount_or_unmount(const std::string& root, const Setting& setting) {
  const std::string place = at(root, setting.path);
  const bool wants_it = setting.wanted == kMounted;
  const int done = wants_it ? mount("tracefs", place.c_str(), "tracefs",
                                    MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr)
                            : umount(place.c_str());
  if (done == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(
      errno, absl::StrCat(wants_it ? "cannot mount " : "cannot unmount ", setting.path));
}

absl::Status write_value(const std::string& file, const Setting& setting) {
  const UniqueFd fd(open(file.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (!fd.valid()) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", setting.path));
  const std::string line = setting.wanted + "\n";
  if (write(fd.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size())) {
    return absl::OkStatus();
  }
  return absl::ErrnoToStatus(
      errno, absl::StrCat("cannot write \"", setting.wanted, "\" to ", setting.path));
}

}  // namespace

std::vector<Setting> unfit_settings(const std::string& root) {
  Search search(root);
  search.tracefs();
  search.number("perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid",
                kParanoidThatCountsKernel, "any user's counters see the kernel's side");
  search.number("kptr_restrict", "/proc/sys/kernel/kptr_restrict", 0,
                "profiles name the kernel's functions");
  search.governors();
  search.word("turbo", absl::StrCat(kCpus, "/intel_pstate/no_turbo"), "1",
              "the clock rate no longer follows heat and the other cores' load");
  search.word("turbo", absl::StrCat(kCpus, "/cpufreq/boost"), "0",
              "the clock rate no longer follows heat and the other cores' load");
  search.congestion_control();
  search.word("aslr", "/proc/sys/kernel/randomize_va_space", "2",
              "every process gets a layout of its own, so that none's luck stays");
  search.look("transparent_hugepages", "/sys/kernel/mm/transparent_hugepage/enabled", "madvise",
              "the kernel merges pages only where it is asked to",
              [](const std::string& found) { return found != "always"; });
  search.word("loopback_mtu", "/sys/class/net/lo/mtu", "65536",
              "loopback carries a reply in the usual number of packets");
  return search.take();
}

std::string command_of(const Setting& setting) {
  if (setting.wanted == kMounted) return absl::StrCat("mount -t tracefs tracefs ", setting.path);
  if (setting.wanted == kNotMounted) return absl::StrCat("umount ", setting.path);
  return absl::StrCat("echo ", setting.wanted, " > ", setting.path);
}

absl::StatusOr<std::string> read_setting(const std::string& root, const Setting& setting) {
  const std::string file = at(root, setting.path);
  std::error_code ignored;
  if (setting.is_mount()) {
    return std::string(fs::exists(file + "/events", ignored) ? kMounted : kNotMounted);
  }
  std::string word = word_of(file);
  if (word.empty()) return absl::NotFoundError(absl::StrCat(setting.path, " cannot be read"));
  return word;
}

absl::Status apply_setting(const std::string& root, const Setting& setting) {
  absl::Status done = setting.is_mount() ? mount_or_unmount(root, setting)
                                         : write_value(at(root, setting.path), setting);
  if (!done.ok()) return done;
  const auto now = read_setting(root, setting);
  if (!now.ok()) return now.status();
  if (*now == setting.wanted) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(setting.path, " took \"", setting.wanted,
                                                    "\" and says \"", *now, "\" all the same"));
}

}  // namespace hotlap::capture
