// What makes this machine noisy, or spares it, beyond what can be counted on it: a clock rate that
// follows heat, threads that share a core, other work; and the programs that hotlap starts. For
// `hotlap doctor` and for every result; some milliseconds, and changes nothing.
#ifndef HOTLAP_HARNESS_CAPTURE_NOISE_H_
#define HOTLAP_HARNESS_CAPTURE_NOISE_H_

#include <string>
#include <vector>

#include "harness/capture/environment.h"

namespace hotlap::capture {

// turbo, smt, other_load, strace, valgrind, perf, in that order. `sys` is where sysfs is mounted.
std::vector<Probe> probe_noise(const std::string& sys = "/sys");

// `load` is the one-minute average of runnable threads.
Probe judge_load(double load, int cpus);

}  // namespace hotlap::capture

#endif  // HOTLAP_HARNESS_CAPTURE_NOISE_H_
