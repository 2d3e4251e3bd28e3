// Page faults as `perf script` prints them, one sample a fault, and where they lie: read into
// samples, then folded into sites. Pure text; reads whatever a perf of another version prints, and
// leaves out what it does not understand.
#ifndef HOTLAP_HARNESS_AUDIT_FAULT_SCRIPT_H_
#define HOTLAP_HARNESS_AUDIT_FAULT_SCRIPT_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/proto/audit.pb.h"

namespace hotlap::audit {

struct FaultFrame {
  std::string function;  // "[unknown]" without symbols
  std::string program;   // file name of what holds it; empty where perf does not know
  std::string line;      // "blocks.h:25", or empty
  bool in_kernel = false;
};

struct FaultSample {
  pid_t process = 0;
  uint64_t address = 0;
  std::vector<FaultFrame> frames;  // innermost first
};

// Of `perf script -F pid,tid,addr,ip,sym,srcline,dso`.
std::vector<FaultSample> read_fault_script(const std::string& text);

// The mappings of a process, from the text of /proc/PID/maps.
class Mappings {
 public:
  explicit Mappings(const std::string& maps);
  // "heap", "stack", "anonymous", a file's name; "unmapped since" where there is none now.
  std::string place_of(uint64_t address) const;

 private:
  struct Mapping {
    uint64_t end;
    std::string place;
  };
  std::map<uint64_t, Mapping> by_begin_;
};

// Sites with what they have in common: the code that touched the page, those that called it, and
// what the page belongs to. Faults while the kernel works for a system call are the call's.
hotlap::v1::AuditFaults fold_faults(const std::vector<FaultSample>& samples,
                                    const std::map<pid_t, Mappings>& mappings, uint32_t requests);

// For a terminal: the sites that make up nearly all faults, most first.
std::string faults_text(const hotlap::v1::ArmAudit& arm);

}  // namespace hotlap::audit

#endif  // HOTLAP_HARNESS_AUDIT_FAULT_SCRIPT_H_
