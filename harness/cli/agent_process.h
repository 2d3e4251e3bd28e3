// The agent that the command line starts for itself: a process of its own behind a Unix socket in a
// directory that only this user may enter, ended with this object, and by the kernel should the
// command line be killed.
#ifndef HOTLAP_HARNESS_CLI_AGENT_PROCESS_H_
#define HOTLAP_HARNESS_CLI_AGENT_PROCESS_H_

#include <sys/types.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "harness/proto/control.grpc.pb.h"

namespace hotlap::cli {

class AgentProcess {
 public:
  // Must be called from the main thread: the agent dies with the thread that started it.
  static absl::StatusOr<std::unique_ptr<AgentProcess>> start();
  ~AgentProcess();
  AgentProcess(const AgentProcess&) = delete;
  AgentProcess& operator=(const AgentProcess&) = delete;

  hotlap::v1::Agent::Stub& stub() { return *stub_; }

  // "was killed by signal 9" when the agent is gone, empty while it lives. Waits for its end at
  // most `patience_ms`: a broken connection is seen before the process can be reaped.
  std::string end_description(int patience_ms = 0);

 private:
  AgentProcess(pid_t pid, std::string directory);

  pid_t pid_;
  int pidfd_;
  std::string directory_;
  std::string ended_;
  std::unique_ptr<hotlap::v1::Agent::Stub> stub_;
};

// The directory of this executable, where the lab's other binaries are too.
std::string binary_directory();

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_AGENT_PROCESS_H_
