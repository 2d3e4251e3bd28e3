// See steal.h.
#include "harness/capture/steal.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace hotlap::capture {
namespace {

// user nice system idle iowait irq softirq steal; guest times are within user and nice.
constexpr size_t kFields = 8;

void add(const std::array<int64_t, kFields>& ticks, int64_t ns_per_tick, CpuTimes& times) {
  times.idle_ns += (ticks[3] + ticks[4]) * ns_per_tick;
  times.steal_ns += ticks[7] * ns_per_tick;
  times.busy_ns += (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) * ns_per_tick;
}

}  // namespace

int64_t tick_ns() { return 1'000'000'000 / std::max(sysconf(_SC_CLK_TCK), 1L); }

absl::StatusOr<CpuTimes> parse_cpu_times(std::string_view proc_stat, const std::vector<int>& cpus,
                                         int64_t ns_per_tick) {
  CpuTimes times;
  std::set<int> missing(cpus.begin(), cpus.end());
  bool any = false;
  std::istringstream lines{std::string(proc_stat)};
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    int cpu = 0;
    if (!name.starts_with("cpu") || !absl::SimpleAtoi(name.substr(3), &cpu)) continue;
    if (!cpus.empty() && missing.erase(cpu) == 0) continue;
    std::array<int64_t, kFields> ticks{};
    for (int64_t& field : ticks) words >> field;
    if (!words) {
      return absl::InternalError(absl::StrCat("/proc/stat: too few fields for CPU ", cpu));
    }
    add(ticks, ns_per_tick, times);
    any = true;
  }
  if (!missing.empty()) {
    return absl::NotFoundError(
        absl::StrCat("/proc/stat lists no CPU ", *missing.begin(), ": is it offline?"));
  }
  if (!any) return absl::NotFoundError("/proc/stat lists no CPU");
  return times;
}

absl::StatusOr<CpuTimes> read_cpu_times(const std::vector<int>& cpus) {
  std::ifstream file("/proc/stat");
  std::stringstream text;
  text << file.rdbuf();
  return parse_cpu_times(text.str(), cpus, tick_ns());
}

}  // namespace hotlap::capture
