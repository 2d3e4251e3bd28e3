// See heap_probes.h.
#include "harness/profile/heap_probes.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "harness/capture/allocation_count.h"
#include "harness/capture/tracefs.h"
#include "harness/capture/unique_fd.h"
#include "harness/capture/whole_file.h"
#include "harness/profile/object_file.h"

namespace hotlap::profile {
namespace {

constexpr char kGroup[] = "hotlap_";
// What malloc gives anyway; libc's functions of alignments go on to it for that.
constexpr double kUsualAlignment = 16;

#if defined(__x86_64__)
constexpr const char* kArguments[] = {"%di", "%si", "%dx"};
#else
constexpr const char* kArguments[] = {"%x0", "%x1", "%x2"};
#endif

// A function and which of its arguments are what: `size` times `count`.
struct Probed {
  const char* function;
  int size;
  int count = -1;
  int align = -1;
  int old = -1;
};
constexpr Probed kProbed[] = {
    {.function = "malloc", .size = 0},
    {.function = "calloc", .size = 1, .count = 0},
    {.function = "realloc", .size = 1, .old = 0},
    {.function = "memalign", .size = 1, .align = 0},
    {.function = "aligned_alloc", .size = 1, .align = 0},
    {.function = "posix_memalign", .size = 2, .align = 1},
    {.function = "valloc", .size = 0},
    {.function = "pvalloc", .size = 0},
};

std::string definition(const std::string& group, const Probed& probed, const std::string& path,
                       uint64_t offset) {
  std::string text =
      absl::StrCat("p:", group, "/", probed.function, " ", path, ":0x", absl::Hex(offset));
  for (const auto& [name, index] :
       {std::pair("size", probed.size), std::pair("count", probed.count),
        std::pair("align", probed.align), std::pair("old", probed.old)}) {
    if (index >= 0) absl::StrAppend(&text, " ", name, "=", kArguments[index], ":u64");
  }
  return text;
}

absl::Status explain(int error) {
  if (error == EACCES || error == EPERM) {
    return absl::PermissionDeniedError("probes can be set by root only: run as root");
  }
  if (error == ENOENT) {
    return absl::FailedPreconditionError(
        "this kernel has no uprobes: it takes one with CONFIG_UPROBE_EVENTS");
  }
  return absl::ErrnoToStatus(error, "cannot set a probe");
}

absl::StatusOr<std::string> definitions_path() {
  const auto tracefs = capture::find_tracefs();
  if (!tracefs.ok()) return tracefs.status();
  return *tracefs + "/uprobe_events";
}

// One definition a write, added to those that are there.
absl::Status write_definition(const std::string& text) {
  const auto path = definitions_path();
  if (!path.ok()) return path.status();
  const capture::UniqueFd file(open(path->c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (file.get() < 0) return explain(errno);
  const ssize_t written = write(file.get(), text.data(), text.size());
  return written == static_cast<ssize_t>(text.size()) ? absl::OkStatus() : explain(errno);
}

void remove_probe(const std::string& group, const std::string& function) {
  // A probe that could not be removed is one that nobody records: it costs nothing.
  write_definition(absl::StrCat("-:", group, "/", function)).IgnoreError();
}

// "p:hotlap_71_a/malloc /lib/libc.so.6:0x98930 …" is {71, "hotlap_71_a", "malloc"}.
struct Known {
  pid_t owner = 0;
  std::string group;
  std::string function;
};
std::optional<Known> known_probe(std::string_view line) {
  if (!line.starts_with("p:")) return std::nullopt;
  line = line.substr(2, line.find(' ') - 2);
  const size_t slash = line.find('/');
  if (slash == std::string_view::npos || !line.starts_with(kGroup)) return std::nullopt;
  Known known{.group = std::string(line.substr(0, slash)),
              .function = std::string(line.substr(slash + 1))};
  const std::string_view owner = line.substr(std::string_view(kGroup).size());
  const auto [end, error] = std::from_chars(owner.data(), owner.data() + owner.size(), known.owner);
  if (error != std::errc() || known.owner <= 0) return std::nullopt;
  return known;
}

// Those of processes that were killed before they could take them out.
void remove_orphans() {
  const auto path = definitions_path();
  const auto text = path.ok() ? capture::read_whole_file(*path) : std::nullopt;
  if (!text) return;
  for (const absl::string_view line : absl::StrSplit(*text, '\n')) {
    const auto known = known_probe(std::string_view(line.data(), line.size()));
    if (known && kill(known->owner, 0) != 0 && errno == ESRCH) {
      remove_probe(known->group, known->function);
    }
  }
}

// The number after " NAME=" of a probe's fields.
std::optional<double> field(std::string_view fields, std::string_view name) {
  const std::string before = " " + std::string(name) + "=";
  const size_t at = fields.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view number = fields.substr(at + before.size());
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc()) return std::nullopt;
  return static_cast<double>(value);
}

// Files that a process has mapped to run code from, by path.
std::set<std::string> code_of(pid_t process) {
  std::set<std::string> files;
  const auto maps = capture::read_whole_file(absl::StrCat("/proc/", process, "/maps"));
  if (!maps) return files;
  for (const absl::string_view line : absl::StrSplit(*maps, '\n')) {
    const size_t path = line.find('/');
    if (path != absl::string_view::npos && absl::StrContains(line, "r-xp")) {
      files.emplace(line.substr(path));
    }
  }
  return files;
}

bool is_libc(const std::string& path) {
  return path.substr(path.rfind('/') + 1).starts_with("libc.so");
}

// Why calls of libc's malloc are not what this process allocates by; empty where they are.
std::string unseen(pid_t process, const std::set<std::string>& files) {
  std::string reason = capture::uncountable(absl::StrCat("/proc/", process, "/exe"));
  if (!reason.empty()) return reason;
  for (const std::string& file : files) {
    for (const char* other : {"jemalloc", "tcmalloc", "mimalloc"}) {
      if (absl::StrContains(file, other)) {
        return absl::StrCat("allocates by ", other, ", and not by libc");
      }
    }
  }
  return "";
}

}  // namespace

absl::Status may_set_probes() {
  const auto path = definitions_path();
  if (!path.ok()) return path.status();
  return access(path->c_str(), W_OK) == 0 ? absl::OkStatus() : explain(errno);
}

absl::StatusOr<std::unique_ptr<HeapProbes>> HeapProbes::set(const std::string& path,
                                                            const std::string& name) {
  absl::Status allowed = may_set_probes();
  if (!allowed.ok()) return allowed;
  remove_orphans();
  const auto libc = ObjectFile::open(path);
  if (!libc.ok()) return libc.status();
  std::unique_ptr<HeapProbes> probes(new HeapProbes(absl::StrCat(kGroup, getpid(), "_", name)));
  std::set<uint64_t> offsets;  // aligned_alloc may be another name of memalign
  for (const Probed& probed : kProbed) {
    const auto offset = (*libc)->offset_of(probed.function);
    if (!offset || !offsets.insert(*offset).second) continue;
    const absl::Status status = write_definition(definition(probes->group_, probed, path, *offset));
    if (!status.ok()) return status;
    probes->functions_.emplace_back(probed.function);
  }
  if (!probes->functions_.empty()) return probes;
  return absl::NotFoundError(absl::StrCat(path, " has no function malloc"));
}

HeapProbes::~HeapProbes() {
  for (const std::string& function : functions_) remove_probe(group_, function);
}

// With the period among what a sample tells, which perf has of probes by itself, the kernel takes a
// sample at each call whatever the period is: --no-period.
std::vector<std::string> HeapProbes::events(uint32_t every) const {
  std::vector<std::string> arguments = {"--count", absl::StrCat(every), "--no-period"};
  for (const std::string& function : functions_) {
    arguments.insert(arguments.end(), {"--event", absl::StrCat(group_, ":", function)});
  }
  return arguments;
}

absl::StatusOr<std::string> common_libc(const std::vector<pid_t>& processes) {
  std::set<std::string> found;
  for (const pid_t process : processes) {
    const std::set<std::string> files = code_of(process);
    const std::string reason = unseen(process, files);
    if (!reason.empty()) {
      return absl::FailedPreconditionError(absl::StrCat("process ", process, " ", reason));
    }
    for (const std::string& file : files) {
      if (is_libc(file)) found.insert(file);
    }
  }
  if (found.size() == 1) return *found.begin();
  return absl::FailedPreconditionError(found.empty() ? "no process has a libc loaded"
                                                     : "its processes have different libcs");
}

std::optional<double> allocated_bytes(std::string_view fields) {
  const auto size = field(fields, "size");
  if (!size) return std::nullopt;
  const auto old = field(fields, "old");
  if (old && (*old == 0.0 || *size == 0.0)) return std::nullopt;
  const auto align = field(fields, "align");
  if (align && *align <= kUsualAlignment) return std::nullopt;
  return *size * field(fields, "count").value_or(1);
}

}  // namespace hotlap::profile
