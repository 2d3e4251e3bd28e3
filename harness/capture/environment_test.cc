// The probes that doctor prints: all there, each with a reason and a remedy where it fails.
#include "harness/capture/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace hotlap::capture {
namespace {

TEST(EnvironmentTest, EveryProbeHasADetailAndTheFailedOnesARemedy) {
  std::set<std::string> names;
  for (const Probe& probe : probe_environment()) {
    EXPECT_TRUE(names.insert(probe.name).second) << probe.name;
    EXPECT_FALSE(probe.detail.empty()) << probe.name;
    EXPECT_EQ(probe.remedy.empty(), probe.available) << probe.name << ": " << probe.remedy;
  }
  for (const char* name : {"cpu_clock", "perf_task_clock", "perf_tracepoints", "perf_hardware",
                           "tracefs", "pid_namespace", "ptrace", "fd_limit", "steal"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(MachineFactsTest, AreFilledIn) {
  const MachineFacts facts = read_machine_facts();
  EXPECT_FALSE(facts.cpu_model.empty());
  EXPECT_GE(facts.cpus, 1);
  EXPECT_FALSE(facts.kernel.empty());
  EXPECT_FALSE(facts.virtualization.empty());
  EXPECT_GT(facts.fd_limit, 0);
  EXPECT_LE(facts.fd_limit, facts.fd_limit_hard);
}

}  // namespace
}  // namespace hotlap::capture
