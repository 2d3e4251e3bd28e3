// A traced call in words that two runs of one binary share: descriptors by their role (listener,
// connection, epoll, …), sizes and flags as they are; addresses, times, contents and process ids
// masked. Costs one pass over the arguments.
#ifndef HOTLAP_HARNESS_AUDIT_CALL_TEXT_H_
#define HOTLAP_HARNESS_AUDIT_CALL_TEXT_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "harness/audit/trace.h"

namespace hotlap::audit {

class CallText {
 public:
  // Connections whose own port is `port` are the target's clients; others are outbound.
  explicit CallText(uint16_t port) : port_(port) {}

  // "recvfrom(connection, ..., 4096, 0) = 78"; "signal SIGTERM". `process` keeps the descriptors
  // of different processes apart.
  std::string describe(const TracedEvent& event, pid_t process);

 private:
  class Masking;

  // The role of descriptor `fd`, which strace annotated so. Of several alike, the second and later
  // have a number.
  std::string role(int64_t fd, std::string_view annotation, pid_t process);

  uint16_t port_;
  std::map<std::string, std::map<std::pair<pid_t, int64_t>, size_t>> numbered_;
};

}  // namespace hotlap::audit

#endif  // HOTLAP_HARNESS_AUDIT_CALL_TEXT_H_
