// Stacks in the forms of other people's viewers.
#ifndef HOTLAP_HARNESS_PROFILE_EXPORT_H_
#define HOTLAP_HARNESS_PROFILE_EXPORT_H_

#include <string>
#include <vector>

#include "harness/proto/profile.pb.h"

namespace hotlap::profile {

// Folded stacks, as flamegraph.pl and inferno take them: "main;serve;write 42" a line, root first;
// the kernel's functions end in "_[k]".
std::string folded(const hotlap::v1::ArmProfile& arm);

// A speedscope file (https://www.speedscope.app/file-format-schema.json) whose weights are
// nanoseconds of CPU a request, so that two arms' can be compared.
std::string speedscope(const hotlap::v1::ArmProfile& arm);

struct ExportedFile {
  std::string name;
  std::string text;
};

// The same of an arm of a view: folded stacks of either amount ("a.asleep.folded", in ns of all
// turns together), and one speedscope file of both, a request.
std::vector<ExportedFile> exported(const hotlap::v1::Profile& profile, const hotlap::v1::View& view,
                                   int arm);

}  // namespace hotlap::profile

#endif  // HOTLAP_HARNESS_PROFILE_EXPORT_H_
