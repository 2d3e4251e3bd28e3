// What each register of a system call means, of the calls that servers make: what tracepoints do
// not say. One row a call, in call_forms.cc.
#ifndef HOTLAP_HARNESS_AUDIT_CALL_FORMS_H_
#define HOTLAP_HARNESS_AUDIT_CALL_FORMS_H_

#include <array>
#include <string_view>

#include "harness/audit/flag_names.h"

namespace hotlap::audit {

enum class ArgumentKind {
  kNone,  // behind the last argument
  kDescriptor,
  kInt,
  kSize,
  kHex,
  kAddress,
  kIn,              // memory that the call reads
  kOut,             // memory that it fills
  kEvents,          // an array of which it fills as many as it returns
  kTime,            // a timespec
  kFutexTime,       // the same, of those operations that wait
  kFutexBits,       // of those with _BITSET
  kOption,          // of setsockopt, within its level
  kControlValue,    // of fcntl
  kCloneArguments,  // of clone3
  kFlags,
};

struct Argument {
  ArgumentKind kind = ArgumentKind::kNone;
  FlagKind flags = FlagKind::kDomain;

  // Implicit, so that a row of the table reads as the call does.
  constexpr Argument() = default;
  constexpr Argument(ArgumentKind of) : kind(of) {}
  constexpr Argument(FlagKind of) : kind(ArgumentKind::kFlags), flags(of) {}
};

struct Form {
  std::string_view name;
  std::array<Argument, 6> arguments;
};

// Null for a call that is not in the table.
const Form* form_of(std::string_view name);

}  // namespace hotlap::audit

#endif  // HOTLAP_HARNESS_AUDIT_CALL_FORMS_H_
