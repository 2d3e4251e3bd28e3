// What each descriptor of each process is, learned from the calls that make, change and close them,
// since tracepoints show its number alone. What came otherwise (over a Unix socket, say) is just
// "descriptor". Costs a look-up for each call.
#ifndef HOTLAP_HARNESS_AUDIT_DESCRIPTOR_TABLES_H_
#define HOTLAP_HARNESS_AUDIT_DESCRIPTOR_TABLES_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "harness/audit/raw_call.h"

namespace hotlap::audit {

struct Descriptor {
  std::string annotation;  // as strace has it: "TCP:[127.0.0.1:80->127.0.0.1:1]", "pipe:[7]"
  bool closes_on_exec = false;
};
using Descriptors = std::map<int64_t, Descriptor>;

// Those that a process has now; empty where it cannot be looked at.
Descriptors descriptors_of(pid_t process);

class DescriptorTables {
 public:
  // Connections that are accepted get `port` as their own.
  explicit DescriptorTables(uint16_t port) : port_(port) {}

  void begin(pid_t process, Descriptors descriptors);
  // A process made by `parent`: with its own copy, or the same table (CLONE_FILES).
  void fork(pid_t parent, pid_t child, bool shares);

  std::string annotation(pid_t process, int64_t fd) const;

  // What a call that returned has changed. True when its result is a descriptor.
  bool learn(pid_t process, const RawCall& call);

 private:
  class Change;

  uint16_t port_;
  std::map<pid_t, std::shared_ptr<Descriptors>> tables_;
};

}  // namespace hotlap::audit

#endif  // HOTLAP_HARNESS_AUDIT_DESCRIPTOR_TABLES_H_
