// How each kind of argument is printed; see raw_call_text.h.
#include "harness/audit/raw_call_text.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "harness/audit/call_forms.h"

namespace hotlap::audit {
namespace {

using enum ArgumentKind;
using enum FlagKind;

// What the kernel gives to itself for a call that is to be made again; none of errno's.
struct Restart {
  int64_t number;
  const char* name;
};
constexpr Restart kRestarts[] = {{512, "ERESTARTSYS"},
                                 {513, "ERESTARTNOINTR"},
                                 {514, "ERESTARTNOHAND"},
                                 {516, "ERESTART_RESTARTBLOCK"}};
constexpr int64_t kMaxErrno = 4095;

bool failed(const RawCall& call) { return !call.result || *call.result < 0; }

std::string address_text(uint64_t address) { return address == 0 ? "NULL" : hex_text(address); }

std::string descriptor_text(int64_t fd, const std::string& annotation) {
  if (fd == AT_FDCWD) return "AT_FDCWD";
  return fd < 0 ? absl::StrCat(fd) : absl::StrCat(fd, "<", annotation, ">");
}

// strace shows where memory is when there is nothing in it to be shown.
std::string filled_text(const RawCall& call, uint64_t address, bool array) {
  if (address == 0 || failed(call)) return address_text(address);
  return array && *call.result == 0 ? "[]" : "...";
}

std::string time_text(uint64_t address) { return address == 0 ? "NULL" : "{tv_sec=...}"; }

bool waits(uint64_t futex_operation) {
  const uint64_t command = futex_operation & FUTEX_CMD_MASK;
  return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI;
}

// Empty: the call has none.
std::string futex_bits(const RawCall& call) {
  const uint64_t command = call.arguments[1] & FUTEX_CMD_MASK;
  if (command != FUTEX_WAIT_BITSET && command != FUTEX_WAKE_BITSET) return "";
  const auto bits = static_cast<uint32_t>(call.arguments[5]);
  return bits == FUTEX_BITSET_MATCH_ANY ? "FUTEX_BITSET_MATCH_ANY" : hex_text(bits);
}

std::string option_text(uint64_t level, uint64_t option) {
  if (level == SOL_SOCKET) return flag_text(kSocketOption, option);
  return level == SOL_TCP ? flag_text(kTcpOption, option) : absl::StrCat(as_int(option));
}

// Empty: the call has none.
std::string control_value(const RawCall& call) {
  const uint64_t command = call.arguments[1];
  if (command == F_GETFD || command == F_GETFL) return "";
  if (command == F_SETFL) return flag_text(kOpenFlags, call.arguments[2]);
  return hex_text(call.arguments[2]);
}

// In the order of strace, with those that the flags ask for. Registers are those of x86-64.
std::string clone_text(const RawCall& call) {
  const auto& [flags, stack, parent_tid, child_tid, tls, none] = call.arguments;
  std::string text =
      absl::StrCat("child_stack=", address_text(stack), ", flags=", flag_text(kCloneFlags, flags));
  if ((flags & CLONE_PARENT_SETTID) != 0) text += ", parent_tid=...";
  if ((flags & CLONE_SETTLS) != 0) absl::StrAppend(&text, ", tls=", address_text(tls));
  if ((flags & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID)) != 0) {
    absl::StrAppend(&text, ", child_tidptr=", address_text(child_tid));
  }
  return text;
}

// One argument; empty for one that the call does not have.
std::string argument_text(const Argument& argument, const RawCall& call, size_t index) {
  const uint64_t value = call.arguments[index];
  switch (argument.kind) {
    case kNone:
      return "";
    case kDescriptor:
      return descriptor_text(as_int(value), call.descriptors[index]);
    case kInt:
      return absl::StrCat(as_int(value));
    case kSize:
      return absl::StrCat(value);
    case kHex:
      return hex_text(value);
    case kAddress:
      return address_text(value);
    case kIn:
      return value == 0 ? "NULL" : "...";
    case kOut:
      return filled_text(call, value, false);
    case kEvents:
      return filled_text(call, value, true);
    case kTime:
      return time_text(value);
    case kFutexTime:
      return waits(call.arguments[1]) ? time_text(value) : "";
    case kFutexBits:
      return futex_bits(call);
    case kOption:
      return option_text(call.arguments[1], value);
    case kControlValue:
      return control_value(call);
    case kCloneArguments:
      return call.made_thread ? "{flags=CLONE_THREAD|..., ...}" : "...";
    case kFlags:
      return flag_text(argument.flags, value);
  }
  return "";
}

std::string error_text(int64_t error) {
  for (const Restart& restart : kRestarts) {
    if (restart.number == error) return absl::StrCat("? ", restart.name);
  }
  const char* name = strerrorname_np(static_cast<int>(error));
  return absl::StrCat("-1 ", name == nullptr ? absl::StrCat(error) : name);
}

bool returns_address(const std::string& name) {
  return name == "mmap" || name == "brk" || name == "mremap" || name == "shmat";
}

}  // namespace

bool is_descriptor(const std::string& name, size_t index) {
  const Form* form = form_of(name);
  return form != nullptr && form->arguments[index].kind == kDescriptor;
}

std::string arguments_text(const RawCall& call) {
  if (call.name == "clone") return clone_text(call);
  const Form* form = form_of(call.name);
  if (form == nullptr) return "...";
  std::vector<std::string> texts;
  for (size_t i = 0; i < form->arguments.size(); ++i) {
    std::string text = argument_text(form->arguments[i], call, i);
    if (!text.empty()) texts.push_back(std::move(text));
  }
  return absl::StrJoin(texts, ", ");
}

std::string result_text(const RawCall& call) {
  if (!call.result) return "?";
  const int64_t result = *call.result;
  if (result < 0 && result >= -kMaxErrno) return error_text(-result);
  if (returns_address(call.name)) return hex_text(static_cast<uint64_t>(result));
  if (!call.result_descriptor.empty()) return descriptor_text(result, call.result_descriptor);
  // As strace translates a number of another namespace.
  if (call.created > 0) return absl::StrCat(result, " /* ", call.created, " in strace's PID NS */");
  return absl::StrCat(result);
}

}  // namespace hotlap::audit
