// What tests of targets and captures share: the built launcher and test_target, a spawner, and an
// order to a test_target that serves.
#ifndef HOTLAP_HARNESS_TARGETS_TESTING_H_
#define HOTLAP_HARNESS_TARGETS_TESTING_H_

#include <memory>
#include <string>

#include "absl/time/time.h"
#include "harness/targets/spawner.h"

namespace hotlap::targets {

std::string TestLauncherPath();
std::string TestTargetPath();

// A spawner of the built launcher; nullptr (and the reason on stderr) when it cannot be made.
std::unique_ptr<Spawner> MakeTestSpawner(bool allow_pid_namespace = true);

TargetSpec TestCommand(const std::string& mode);   // test_target MODE {port}
TargetSpec TestPipeline(const std::string& mode);  // with TestOptions(): the program is test_target
LaunchOptions TestOptions();

// Sends one line and returns the reply; empty when the target cannot be reached.
std::string Ask(const Endpoint& endpoint, const std::string& order);

// Waits for a process that need not be a child to end; true once it has.
bool AwaitEnd(pid_t pid, absl::Duration patience);

}  // namespace hotlap::targets

#endif  // HOTLAP_HARNESS_TARGETS_TESTING_H_
