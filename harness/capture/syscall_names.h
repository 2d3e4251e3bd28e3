// System calls by name: of a number, and of the event by which they are counted. The kernel has a
// tracepoint for each (syscalls:sys_enter_*), which costs nothing until that very call is made.
// Opening and closing one takes milliseconds: open those that a target is known to call.
#ifndef HOTLAP_HARNESS_CAPTURE_SYSCALL_NAMES_H_
#define HOTLAP_HARNESS_CAPTURE_SYSCALL_NAMES_H_

#include <cstdint>
#include <string>

namespace hotlap::capture {

// `name` as the manual has it: "fstat", whose tracepoint is syscalls:sys_enter_newfstat.
std::string syscall_event(const std::string& name);

// "recvfrom" of 45 on x86-64; "syscall_0x1f4" of a number that is not known.
std::string syscall_name(int64_t number);

}  // namespace hotlap::capture

#endif  // HOTLAP_HARNESS_CAPTURE_SYSCALL_NAMES_H_
