// A profile as a terminal of 80 columns shows it.
#ifndef HOTLAP_HARNESS_PROFILE_PROFILE_TEXT_H_
#define HOTLAP_HARNESS_PROFILE_PROFILE_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/proto/profile.pb.h"

namespace hotlap::profile {

// What was sampled, each stage's nanoseconds a request, and the functions that changed (of one arm,
// cost) most.
std::string profile_text(const hotlap::v1::Profile& profile);

// Of it, the stages alone, of two arms.
std::string stages_text(const hotlap::v1::Profile& profile);

// A function's name without what would fill the line alone, template arguments, parameters and
// outer namespaces: "variants::parse"; cut to `width` columns.
std::string short_function(std::string_view function, size_t width);

// "note: arm a: …", broken between words, so that no line is longer than a terminal is wide.
void append_note(const std::string& arm, const std::string& note, std::string& text);

}  // namespace hotlap::profile

#endif  // HOTLAP_HARNESS_PROFILE_PROFILE_TEXT_H_
