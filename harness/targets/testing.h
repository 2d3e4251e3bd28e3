// What tests of targets and captures share: the built launcher and test_target, a spawner, and an
// order to a test_target that serves.
#ifndef HOTLAP_HARNESS_TARGETS_TESTING_H_
#define HOTLAP_HARNESS_TARGETS_TESTING_H_

#include <memory>
#include <string>

#include "absl/time/time.h"
#include "harness/targets/spawner.h"

namespace hotlap::targets {

std::string test_launcher_path();
std::string test_target_path();

// A spawner of the built launcher; nullptr (and the reason on stderr) when it cannot be made.
std::unique_ptr<Spawner> make_test_spawner(bool allow_pid_namespace = true);

TargetSpec test_command(const std::string& mode);  // test_target MODE {port}
// With test_options(): the program is test_target.
TargetSpec test_pipeline(const std::string& mode);
LaunchOptions test_options();

// Sends one line and returns the reply; empty when the target cannot be reached.
std::string ask(const Endpoint& endpoint, const std::string& order);

// Waits for a process that need not be a child to end; true once it has.
bool await_end(pid_t pid, absl::Duration patience);

}  // namespace hotlap::targets

#endif  // HOTLAP_HARNESS_TARGETS_TESTING_H_
