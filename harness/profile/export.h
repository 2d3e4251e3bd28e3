// Stacks in the forms of other people's viewers.
#ifndef HOTLAP_HARNESS_PROFILE_EXPORT_H_
#define HOTLAP_HARNESS_PROFILE_EXPORT_H_

#include <string>

#include "harness/proto/profile.pb.h"

namespace hotlap::profile {

// Folded stacks, as flamegraph.pl and inferno take them: "main;serve;write 42" a line, root first;
// the kernel's functions end in "_[k]".
std::string folded(const hotlap::v1::ArmProfile& arm);

// A speedscope file (https://www.speedscope.app/file-format-schema.json) whose weights are
// nanoseconds of CPU a request, so that two arms' can be compared.
std::string speedscope(const hotlap::v1::ArmProfile& arm);

}  // namespace hotlap::profile

#endif  // HOTLAP_HARNESS_PROFILE_EXPORT_H_
