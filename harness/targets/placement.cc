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

std::vector<Core> Cores(const CpuTopology& topology) {
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

void Append(std::vector<int>& cpus, const Core& core) {
  cpus.insert(cpus.end(), core.begin(), core.end());
}

absl::Status CheckAllowed(const char* what, const std::vector<int>& cpus,
                          const CpuTopology& topology) {
  const std::vector<int>& allowed = topology.allowed;
  for (const int cpu : cpus) {
    if (std::find(allowed.begin(), allowed.end(), cpu) != allowed.end()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "CPU ", cpu, " asked for ", what, " is not among those that this process may use (",
        FormatCpuList(allowed), ")"));
  }
  return absl::OkStatus();
}

std::vector<int> Normalised(std::vector<int> cpus) {
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::vector<int> Without(const std::vector<int>& cpus, const std::vector<int>& taken) {
  std::vector<int> rest;
  std::set_difference(cpus.begin(), cpus.end(), taken.begin(), taken.end(),
                      std::back_inserter(rest));
  return rest;
}

// The free CPUs, those on cores of their own first; siblings of taken ones only if nothing is left.
std::vector<int> Rest(const CpuTopology& topology, const std::vector<int>& taken) {
  std::vector<int> apart;
  for (const Core& core : Cores(topology)) {
    const bool touched = std::any_of(core.begin(), core.end(), [&](int cpu) {
      return std::find(taken.begin(), taken.end(), cpu) != taken.end();
    });
    if (!touched) Append(apart, core);
  }
  return apart.empty() ? Without(topology.allowed, taken) : Normalised(apart);
}

void FindBoth(const CpuTopology& topology, Placement& placement) {
  const std::vector<Core> cores = Cores(topology);
  if (cores.size() == 1) {
    placement.server_cpus = {topology.allowed.front()};
    placement.load_cpus = Without(topology.allowed, placement.server_cpus);
    return;
  }
  const size_t servers = cores.size() - cores.size() / 2;
  for (size_t i = 0; i < cores.size(); ++i) {
    Append(i < servers ? placement.server_cpus : placement.load_cpus, cores[i]);
  }
}

void NoteSplitCores(const CpuTopology& topology, Placement& placement) {
  const auto in = [](const std::vector<int>& cpus, int cpu) {
    return std::find(cpus.begin(), cpus.end(), cpu) != cpus.end();
  };
  for (const Core& core : Cores(topology)) {
    const bool serves = std::any_of(core.begin(), core.end(),
                                    [&](int cpu) { return in(placement.server_cpus, cpu); });
    const bool loads = std::any_of(core.begin(), core.end(),
                                   [&](int cpu) { return in(placement.load_cpus, cpu); });
    if (!serves || !loads || core.size() < 2) continue;
    placement.notes.push_back(absl::StrCat("CPUs ", FormatCpuList(core),
                                           " are siblings of one core that both serves and loads: "
                                           "the generator slows what it measures"));
  }
}

absl::Status CheckShared(bool may_share, const CpuTopology& topology, Placement& placement) {
  std::vector<int> both;
  std::set_intersection(placement.server_cpus.begin(), placement.server_cpus.end(),
                        placement.load_cpus.begin(), placement.load_cpus.end(),
                        std::back_inserter(both));
  placement.shared = !both.empty();
  if (!placement.shared) return absl::OkStatus();
  if (may_share) {
    placement.notes.push_back(
        absl::StrCat("CPU ", FormatCpuList(both), " both serves and loads, as was asked for"));
    return absl::OkStatus();
  }
  if (topology.allowed.size() == 1) {
    return absl::FailedPreconditionError(absl::StrCat(
        "only CPU ", FormatCpuList(topology.allowed),
        " may be used, and servers and load need one "
        "each: allow more CPUs (taskset, cpuset), or allow sharing (--share-cpu), which costs "
        "precision"));
  }
  return absl::InvalidArgumentError(absl::StrCat("CPU ", FormatCpuList(both),
                                                 " is asked for both servers and load: keep them "
                                                 "apart, or allow sharing (--share-cpu)"));
}

}  // namespace

absl::StatusOr<CpuTopology> ReadCpuTopology() {
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
    auto siblings = ParseCpuList(line);
    topology.siblings.push_back(siblings.ok() ? *siblings : std::vector<int>{cpu});
  }
  return topology;
}

absl::StatusOr<Placement> Place(const PlacementRequest& request, const CpuTopology& topology) {
  if (topology.allowed.empty() || topology.siblings.size() != topology.allowed.size()) {
    return absl::InvalidArgumentError("no CPU is allowed, or the topology is incomplete");
  }
  for (const auto& [what, cpus] :
       {std::pair("servers", &request.server_cpus), std::pair("load", &request.load_cpus)}) {
    const absl::Status allowed = CheckAllowed(what, *cpus, topology);
    if (!allowed.ok()) return allowed;
  }
  Placement placement;
  placement.server_cpus = Normalised(request.server_cpus);
  placement.load_cpus = Normalised(request.load_cpus);
  if (placement.server_cpus.empty() && placement.load_cpus.empty()) {
    FindBoth(topology, placement);
  } else if (placement.server_cpus.empty()) {
    placement.server_cpus = Rest(topology, placement.load_cpus);
  } else if (placement.load_cpus.empty()) {
    placement.load_cpus = Rest(topology, placement.server_cpus);
  }
  placement.server_cpus = Normalised(placement.server_cpus);
  placement.load_cpus = Normalised(placement.load_cpus);
  // Nothing was left for one side: both get the same, which the check below allows or refuses.
  if (placement.server_cpus.empty()) placement.server_cpus = placement.load_cpus;
  if (placement.load_cpus.empty()) placement.load_cpus = placement.server_cpus;
  const absl::Status apart = CheckShared(request.share, topology, placement);
  if (!apart.ok()) return apart;
  NoteSplitCores(topology, placement);
  return placement;
}

absl::Status PinThisThread(const std::vector<int>& cpus) {
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
                             absl::StrCat("cannot pin a thread to CPU ", FormatCpuList(cpus)));
}

absl::StatusOr<std::vector<int>> ParseCpuList(const std::string& text) {
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
  return Normalised(cpus);
}

std::string FormatCpuList(const std::vector<int>& cpus) {
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
