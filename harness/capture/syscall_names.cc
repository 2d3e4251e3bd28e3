// See syscall_names.h.
#include "harness/capture/syscall_names.h"

#include <sys/syscall.h>

#include <map>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace hotlap::capture {
namespace {

// Where the kernel's own name is not the manual's.
struct OtherName {
  std::string_view manual;
  const char* kernel;
};
constexpr OtherName kOtherNames[] = {
    {"stat", "newstat"}, {"fstat", "newfstat"}, {"lstat", "newlstat"}, {"uname", "newuname"}};

const std::map<int64_t, std::string_view>& known_syscalls() {
  static const std::map<int64_t, std::string_view> known = {
#include "known_syscalls.inc"
  };
  return known;
}

}  // namespace

std::string syscall_event(const std::string& name) {
  for (const OtherName& other : kOtherNames) {
    if (other.manual == name) return absl::StrCat("syscalls:sys_enter_", other.kernel);
  }
  return absl::StrCat("syscalls:sys_enter_", name);
}

std::string syscall_name(int64_t number) {
  const auto found = known_syscalls().find(number);
  if (found != known_syscalls().end()) return std::string(found->second);
  return absl::StrCat("syscall_0x", absl::Hex(number));
}

}  // namespace hotlap::capture
