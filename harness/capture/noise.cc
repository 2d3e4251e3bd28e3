// See noise.h.
#include "harness/capture/noise.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace hotlap::capture {
namespace {

// Of a CPU: more than that, and rounds are void for load from elsewhere.
constexpr double kMostLoad = 0.25;

// The first word of a file; empty where there is no such file.
std::string word_of(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

Probe probe_turbo(const std::string& sys) {
  const std::string intel = sys + "/devices/system/cpu/intel_pstate/no_turbo";
  const std::string boost = sys + "/devices/system/cpu/cpufreq/boost";
  const char* const why = "on: the clock rate follows heat and the other cores' load";
  if (word_of(intel) == "0") {
    return {"turbo", false, why, absl::StrCat("echo 1 > ", intel, "   # as root")};
  }
  if (word_of(boost) == "1") {
    return {"turbo", false, why, absl::StrCat("echo 0 > ", boost, "   # as root")};
  }
  const bool known = !word_of(intel).empty() || !word_of(boost).empty();
  return {"turbo", true, known ? "off" : "not ours to see or set", ""};
}

Probe probe_smt(const std::string& sys) {
  const std::string active = word_of(sys + "/devices/system/cpu/smt/active");
  if (active == "1") {
    return {"smt", false, "on: what runs on a core's other thread slows this one",
            absl::StrCat("echo off > ", sys, "/devices/system/cpu/smt/control   # as root")};
  }
  return {"smt", true, active == "0" ? "off: a CPU is a core" : "not ours to see or set", ""};
}

Probe probe_program(const std::string& name, const std::string& use, const std::string& package) {
  const char* path = getenv("PATH");
  const std::vector<std::string> places = absl::StrSplit(path == nullptr ? "" : path, ':');
  for (const std::string& place : places) {
    const std::string program = absl::StrCat(place, "/", name);
    if (access(program.c_str(), X_OK) == 0) return {name, true, program + ": " + use, ""};
  }
  return {name, false, absl::StrCat("not installed: needed for ", use),
          "apt-get install " + package};
}

}  // namespace

Probe judge_load(double load, int cpus) {
  const std::string detail =
      absl::StrFormat("%.2f threads wanted a CPU in the last minute, of %d", load, cpus);
  if (load <= kMostLoad * std::max(cpus, 1)) return {"other_load", true, detail, ""};
  return {"other_load", false, detail + ": rounds will be void or noisy",
          "ps -eo pcpu,pid,args --sort=-pcpu | head   # and stop what is not needed"};
}

std::vector<Probe> probe_noise(const std::string& sys) {
  double load = 0;
  std::vector<Probe> probes = {probe_turbo(sys), probe_smt(sys)};
  if (getloadavg(&load, 1) == 1) {
    probes.push_back(judge_load(load, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))));
  }
  probes.push_back(
      probe_program("strace", "hotlap audit in full, and counts by name in hotlap ab", "strace"));
  probes.push_back(probe_program("valgrind", "hotlap ab --deterministic", "valgrind"));
  probes.push_back(
      probe_program("perf", "hotlap profile, and hotlap audit without strace", "linux-perf"));
  return probes;
}

}  // namespace hotlap::capture
