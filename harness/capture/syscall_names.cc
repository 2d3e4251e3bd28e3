// See syscall_names.h.
#include "harness/capture/syscall_names.h"

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

}  // namespace

std::string syscall_event(const std::string& name) {
  for (const OtherName& other : kOtherNames) {
    if (other.manual == name) return absl::StrCat("syscalls:sys_enter_", other.kernel);
  }
  return absl::StrCat("syscalls:sys_enter_", name);
}

}  // namespace hotlap::capture
