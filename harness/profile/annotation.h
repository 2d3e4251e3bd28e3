// The lines of source that a function's samples fell on, in both arms side by side: for functions
// that are in a file with symbols, that is, not the kernel's. Where there is no debug information,
// its instructions instead.
#ifndef HOTLAP_HARNESS_PROFILE_ANNOTATION_H_
#define HOTLAP_HARNESS_PROFILE_ANNOTATION_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/profile/attribution.h"
#include "harness/profile/object_file.h"
#include "harness/profile/tally.h"
#include "harness/proto/profile.pb.h"

namespace hotlap::profile {

// Instructions by address.
using Assembly = std::map<uint64_t, std::string>;
// Those of a range of a file; empty where there is no disassembler.
using Disassembler = std::function<Assembly(const std::string& path, const CodeRange& range)>;

// The first `most` rows of `costs` that can be annotated, one list an arm, the same functions and
// lines in each.
std::vector<std::vector<hotlap::v1::AnnotatedFunction>> annotate(
    const std::vector<hotlap::v1::Cost>& costs, size_t most, const std::vector<const Tally*>& arms,
    ObjectFiles& files, const Disassembler& disassemble);

// What `objdump -d --no-show-raw-insn` printed.
Assembly read_objdump(std::string_view text);

// From the lab's own source root where it is there ("variants/date/lazy.cc"), else as it is.
std::string shown_source(std::string_view path);

}  // namespace hotlap::profile

#endif  // HOTLAP_HARNESS_PROFILE_ANNOTATION_H_
