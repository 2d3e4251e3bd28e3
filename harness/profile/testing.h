// Samples for tests, written as one reads a stack.
#ifndef HOTLAP_HARNESS_PROFILE_TESTING_H_
#define HOTLAP_HARNESS_PROFILE_TESTING_H_

#include <string_view>
#include <vector>

#include "harness/profile/perf_script.h"

namespace hotlap::profile {

inline ScriptFrame kernel_frame(std::string_view function) {
  return {0xffffffff81000000u, function, "[kernel.kallsyms]", true};
}
inline ScriptFrame user_frame(std::string_view function, std::string_view object,
                              uint64_t address = 0x1000) {
  return {address, function, object, false};
}

// Innermost first.
inline ScriptSample sample_at(int64_t time_ns, std::vector<ScriptFrame> frames) {
  return {.process = 7, .thread = 8, .time_ns = time_ns, .frames = std::move(frames)};
}

}  // namespace hotlap::profile

#endif  // HOTLAP_HARNESS_PROFILE_TESTING_H_
