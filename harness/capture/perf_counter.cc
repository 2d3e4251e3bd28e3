// See perf_counter.h.
#include "harness/capture/perf_counter.h"

#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "harness/capture/perf_event.h"

namespace hotlap::capture {
namespace {

constexpr uint64_t kTimes = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
constexpr size_t kMostEvents = 64;

perf_event_attr prepare(perf_event_attr attributes, bool leads, CounterStart start,
                        bool read_at_once) {
  attributes.inherit = 1;
  attributes.read_format = kTimes | PERF_FORMAT_ID | (read_at_once ? PERF_FORMAT_GROUP : 0);
  // Members of a group run when their leader does.
  const bool waits = leads && start == CounterStart::kOnExec;
  attributes.disabled = waits ? 1 : 0;
  attributes.enable_on_exec = waits ? 1 : 0;
  return attributes;
}

// A read of a group fails with ECHILD while a child is being forked or is ending, for some of its
// counters are there and others are not: a matter of microseconds, unless that child has to wait
// for the CPU.
ssize_t read_between_forks(int fd, void* record, size_t bytes) {
  constexpr int kMostTries = 10'000;
  ssize_t n = -1;
  for (int i = 0; i < kMostTries; ++i) {
    n = read(fd, record, bytes);
    if (n >= 0 || errno != ECHILD) break;
    sched_yield();
  }
  return n;
}

}  // namespace

absl::StatusOr<PerfCounters> PerfCounters::open(pid_t pid, const std::vector<std::string>& events,
                                                CounterStart start) {
  if (events.empty() || events.size() > kMostEvents) {
    return absl::InvalidArgumentError(
        absl::StrCat(events.size(), " events to count: it takes 1 to ", kMostEvents));
  }
  if (kill(pid, 0) != 0 && errno == ESRCH) {
    return absl::NotFoundError(absl::StrCat("no process ", pid, " to count: it has ended"));
  }
  PerfCounters counters;
  counters.events_ = events;
  std::vector<size_t> software;
  std::vector<size_t> hardware;
  for (size_t i = 0; i < events.size(); ++i) {
    const auto attributes = resolve_event(events[i]);
    if (attributes.ok()) {
      (is_hardware(*attributes) ? hardware : software).push_back(i);
    } else {
      counters.unavailable_[events[i]] = std::string(attributes.status().message());
    }
  }
  for (const std::vector<size_t>* wanted : {&software, &hardware}) {
    if (wanted->empty()) continue;
    const size_t groups = counters.groups_.size();
    if (counters.open_group(pid, *wanted, start, true).ok()) continue;
    // Kernels that refuse to read inherited events as a group say EINVAL to the first of them;
    // what fails for another reason fails again, and then says why.
    counters.groups_.resize(groups);
    const absl::Status singly = counters.open_group(pid, *wanted, start, false);
    (void)singly;  // told event by event in unavailable_
  }
  return counters;
}

absl::Status PerfCounters::open_group(pid_t pid, const std::vector<size_t>& wanted,
                                      CounterStart start, bool read_at_once) {
  Group group;
  group.read_at_once = read_at_once;
  absl::Status worst = absl::OkStatus();
  for (const size_t index : wanted) {
    const std::string& event = events_[index];
    const auto attributes = resolve_event(event);
    if (!attributes.ok()) return attributes.status();
    const bool leads = group.members.empty() || !read_at_once;
    auto fd = open_event(event, prepare(*attributes, leads, start, read_at_once), pid,
                         leads ? -1 : group.members.front().fd.get());
    uint64_t id = 0;
    if (fd.ok() && ioctl(fd->get(), PERF_EVENT_IOC_ID, &id) != 0) {
      fd = absl::ErrnoToStatus(errno, absl::StrCat("cannot identify the counter of ", event));
    }
    if (!fd.ok()) {
      unavailable_[event] = std::string(fd.status().message());
      worst = fd.status();
      continue;
    }
    unavailable_.erase(event);
    group.members.push_back({index, id, *std::move(fd)});
  }
  const bool any = !group.members.empty();
  if (any) groups_.push_back(std::move(group));
  // One event that this machine lacks is no reason to give up the group for the others.
  return any ? absl::OkStatus() : worst;
}

absl::StatusOr<std::vector<std::optional<int64_t>>> PerfCounters::read() const {
  Values values(events_.size());
  for (const Group& group : groups_) {
    const absl::Status done =
        group.read_at_once ? read_group(group, values) : read_singly(group, values);
    if (!done.ok()) return done;
  }
  return values;
}

absl::Status PerfCounters::check_whole(size_t index, uint64_t enabled_ns,
                                       uint64_t running_ns) const {
  if (running_ns >= enabled_ns) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(events_[index], " was counted for ", running_ns, " of ", enabled_ns,
                   " ns only (multiplexed): ask for fewer hardware events at once"));
}

absl::Status PerfCounters::read_group(const Group& group, Values& values) const {
  struct {
    uint64_t count;
    uint64_t enabled_ns;
    uint64_t running_ns;
    struct {
      uint64_t value;
      uint64_t id;
    } entries[kMostEvents];
  } record;
  const Opened& leader = group.members.front();
  const ssize_t n = read_between_forks(leader.fd.get(), &record, sizeof record);
  if (n < 0) return absl::ErrnoToStatus(errno, "cannot read " + events_[leader.index]);
  if (n == 0 || record.count != group.members.size()) {
    return absl::DataLossError(absl::StrCat("the counters of ", events_[leader.index],
                                            " have stopped: the PMU had no room for them"));
  }
  const absl::Status whole = check_whole(leader.index, record.enabled_ns, record.running_ns);
  if (!whole.ok()) return whole;
  for (const Opened& member : group.members) {
    for (uint64_t i = 0; i < record.count; ++i) {
      if (record.entries[i].id != member.id) continue;
      values[member.index] = static_cast<int64_t>(record.entries[i].value);
    }
    if (!values[member.index]) {
      return absl::DataLossError("no value came back for " + events_[member.index]);
    }
  }
  return absl::OkStatus();
}

absl::Status PerfCounters::read_singly(const Group& group, Values& values) const {
  for (const Opened& member : group.members) {
    struct {
      uint64_t value;
      uint64_t enabled_ns;
      uint64_t running_ns;
      uint64_t id;
    } record;
    const ssize_t n = ::read(member.fd.get(), &record, sizeof record);
    if (n < 0) return absl::ErrnoToStatus(errno, "cannot read " + events_[member.index]);
    if (n != sizeof record) {
      return absl::DataLossError(absl::StrCat("the counter of ", events_[member.index],
                                              " has stopped: the PMU had no room for it"));
    }
    const absl::Status whole = check_whole(member.index, record.enabled_ns, record.running_ns);
    if (!whole.ok()) return whole;
    values[member.index] = static_cast<int64_t>(record.value);
  }
  return absl::OkStatus();
}

}  // namespace hotlap::capture
