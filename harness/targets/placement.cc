// See placement.h.
#include "harness/targets/placement.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace hotlap::targets {
namespace {

using Core = std::vector<int>;  // the allowed CPUs of one physical core

std::vector<Core> find_cores(const CpuTopology& topology) {
  std::vector<Core> cores;
  std::set<int> seen;
  const std::set<int> allowed(topology.allowed.begin(), topology.allowed.end());
  for (size_t i = 0; i < topology.allowed.size(); ++i) {
    if (seen.contains(topology.allowed[i])) continue;
    Core core;
    for (const int cpu : topology.siblings.at(i)) {
      if (allowed.contains(cpu) && seen.insert(cpu).second) core.push_back(cpu);
    }
    if (core.empty()) core.push_back(topology.allowed[i]);
    cores.push_back(core);
  }
  return cores;
}

void append(std::vector<int>& cpus, const Core& core) {
  cpus.insert(cpus.end(), core.begin(), core.end());
}

absl::Status check_allowed(const char* what, const std::vector<int>& cpus,
                           const CpuTopology& topology) {
  const std::vector<int>& allowed = topology.allowed;
  for (const int cpu : cpus) {
    if (std::find(allowed.begin(), allowed.end(), cpu) != allowed.end()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "CPU ", cpu, " asked for ", what, " is not among those that this process may use (",
        format_cpu_list(allowed), ")"));
  }
  return absl::OkStatus();
}

std::vector<int> normalised(std::vector<int> cpus) {
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::vector<int> without(const std::vector<int>& cpus, const std::vector<int>& taken) {
  std::vector<int> rest;
  std::set_difference(cpus.begin(), cpus.end(), taken.begin(), taken.end(),
                      std::back_inserter(rest));
  return rest;
}

// The free CPUs, those on cores of their own first; siblings of taken ones only if nothing is left.
std::vector<int> free_cpus(const CpuTopology& topology, const std::vector<int>& taken) {
  std::vector<int> apart;
  for (const Core& core : find_cores(topology)) {
    const bool touched = std::any_of(core.begin(), core.end(), [&](int cpu) {
      return std::find(taken.begin(), taken.end(), cpu) != taken.end();
    });
    if (!touched) append(apart, core);
  }
  return apart.empty() ? without(topology.allowed, taken) : normalised(apart);
}

void find_both(const CpuTopology& topology, Placement& placement) {
  const std::vector<Core> cores = find_cores(topology);
  if (cores.size() == 1) {
    placement.server_cpus = {topology.allowed.front()};
    placement.load_cpus = without(topology.allowed, placement.server_cpus);
    return;
  }
  const size_t servers = cores.size() - cores.size() / 2;
  for (size_t i = 0; i < cores.size(); ++i) {
    append(i < servers ? placement.server_cpus : placement.load_cpus, cores[i]);
  }
}

void note_split_cores(const CpuTopology& topology, Placement& placement) {
  const auto in = [](const std::vector<int>& cpus, int cpu) {
    return std::find(cpus.begin(), cpus.end(), cpu) != cpus.end();
  };
  for (const Core& core : find_cores(topology)) {
    const bool serves = std::any_of(core.begin(), core.end(),
                                    [&](int cpu) { return in(placement.server_cpus, cpu); });
    const bool loads = std::any_of(core.begin(), core.end(),
                                   [&](int cpu) { return in(placement.load_cpus, cpu); });
    if (!serves || !loads || core.size() < 2) continue;
    placement.notes.push_back(absl::StrCat("CPUs ", format_cpu_list(core),
                                           " are siblings of one core that both serves and loads: "
                                           "the generator slows what it measures"));
  }
}

absl::Status check_shared(bool may_share, const CpuTopology& topology, Placement& placement) {
  std::vector<int> both;
  std::set_intersection(placement.server_cpus.begin(), placement.server_cpus.end(),
                        placement.load_cpus.begin(), placement.load_cpus.end(),
                        std::back_inserter(both));
  placement.shared = !both.empty();
  if (!placement.shared) return absl::OkStatus();
  if (may_share) {
    placement.notes.push_back(
        absl::StrCat("CPU ", format_cpu_list(both), " both serves and loads, as was asked for"));
    return absl::OkStatus();
  }
  if (topology.allowed.size() == 1) {
    return absl::FailedPreconditionError(absl::StrCat(
        "only CPU ", format_cpu_list(topology.allowed),
        " may be used, and servers and load need one "
        "each: allow more CPUs (taskset, cpuset), or allow sharing (--share-cpus), which costs "
        "precision"));
  }
  return absl::InvalidArgumentError(absl::StrCat("CPU ", format_cpu_list(both),
                                                 " is asked for both servers and load: keep them "
                                                 "apart, or allow sharing (--share-cpus)"));
}

}  // namespace

absl::StatusOr<CpuTopology> read_cpu_topology() {
  // Room for machines with more CPUs than the fixed-size set holds.
  constexpr int kMostCpus = 8192;
  std::vector<cpu_set_t> sets(kMostCpus / CPU_SETSIZE);
  const size_t bytes = sets.size() * sizeof(cpu_set_t);
  if (sched_getaffinity(0, bytes, sets.data()) != 0) {
    return absl::ErrnoToStatus(errno, "cannot read the CPUs that this process may use");
  }
  CpuTopology topology;
  for (int cpu = 0; cpu < kMostCpus; ++cpu) {
    if (!CPU_ISSET_S(cpu, bytes, sets.data())) continue;
    topology.allowed.push_back(cpu);
    std::ifstream file(
        absl::StrCat("/sys/devices/system/cpu/cpu", cpu, "/topology/thread_siblings_list"));
    std::string line;
    std::getline(file, line);
    auto siblings = parse_cpu_list(line);
    topology.siblings.push_back(siblings.ok() ? *siblings : std::vector<int>{cpu});
  }
  return topology;
}

absl::StatusOr<Placement> place(const PlacementRequest& request, const CpuTopology& topology) {
  if (topology.allowed.empty() || topology.siblings.size() != topology.allowed.size()) {
    return absl::InvalidArgumentError("no CPU is allowed, or the topology is incomplete");
  }
  for (const auto& [what, cpus] :
       {std::pair("servers", &request.server_cpus), std::pair("load", &request.load_cpus)}) {
    const absl::Status allowed = check_allowed(what, *cpus, topology);
    if (!allowed.ok()) return allowed;
  }
  Placement placement;
  placement.server_cpus = normalised(request.server_cpus);
  placement.load_cpus = normalised(request.load_cpus);
  if (placement.server_cpus.empty() && placement.load_cpus.empty()) {
    find_both(topology, placement);
  } else if (placement.server_cpus.empty()) {
    placement.server_cpus = free_cpus(topology, placement.load_cpus);
  } else if (placement.load_cpus.empty()) {
    placement.load_cpus = free_cpus(topology, placement.server_cpus);
  }
  placement.server_cpus = normalised(placement.server_cpus);
  placement.load_cpus = normalised(placement.load_cpus);
  // Nothing was left for one side: both get the same, which the check below allows or refuses.
  if (placement.server_cpus.empty()) placement.server_cpus = placement.load_cpus;
  if (placement.load_cpus.empty()) placement.load_cpus = placement.server_cpus;
  const absl::Status apart = check_shared(request.share, topology, placement);
  if (!apart.ok()) return apart;
  note_split_cores(topology, placement);
  return placement;
}

absl::Status pin_this_thread(const std::vector<int>& cpus) {
  if (cpus.empty()) return absl::InvalidArgumentError("no CPU to pin a thread to");
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) {
    if (cpu < 0 || cpu >= CPU_SETSIZE) {
      return absl::InvalidArgumentError(absl::StrCat("there is no CPU ", cpu));
    }
    CPU_SET(cpu, &set);
  }
  if (sched_setaffinity(0, sizeof set, &set) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno,
                             absl::StrCat("cannot pin a thread to CPU ", format_cpu_list(cpus)));
}

absl::StatusOr<std::vector<int>> parse_cpu_list(const std::string& text) {
  const auto bad =
      absl::InvalidArgumentError(absl::StrCat("\"", text, "\" is no list of CPUs such as 0-2,5"));
  std::vector<int> cpus;
  for (const std::string& part : std::vector<std::string>(absl::StrSplit(text, ','))) {
    const std::vector<std::string> ends = absl::StrSplit(part, '-');
    int first = 0;
    int last = 0;
    if (ends.size() > 2 || !absl::SimpleAtoi(ends.front(), &first) ||
        !absl::SimpleAtoi(ends.back(), &last)) {
      return bad;
    }
    if (first < 0 || last < first || last >= 8192) return bad;
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  }
  return normalised(cpus);
}

std::string format_cpu_list(const std::vector<int>& cpus) {
  std::string text;
  for (size_t i = 0; i < cpus.size();) {
    size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    absl::StrAppend(&text, text.empty() ? "" : ",", cpus[i]);
    if (last > i) absl::StrAppend(&text, "-", cpus[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace hotlap::targets
