// The event by which a system call is counted by its name: the kernel has a tracepoint for each
// (syscalls:sys_enter_*), which costs nothing until that very call is made. Opening and closing one
// takes milliseconds: open those that a target is known to call.
#ifndef HOTLAP_HARNESS_CAPTURE_SYSCALL_NAMES_H_
#define HOTLAP_HARNESS_CAPTURE_SYSCALL_NAMES_H_

#include <string>

namespace hotlap::capture {

// `name` as the manual has it: "fstat", whose tracepoint is syscalls:sys_enter_newfstat.
std::string syscall_event(const std::string& name);

}  // namespace hotlap::capture

#endif  // HOTLAP_HARNESS_CAPTURE_SYSCALL_NAMES_H_
