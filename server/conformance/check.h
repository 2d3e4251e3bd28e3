// Judges what came back for a case: against what the corpus expects, and in a form that can be
// compared byte for byte with another server's.
#pragma once

#include <string>
#include <vector>

#include "server/conformance/corpus.h"
#include "server/conformance/exchange.h"

namespace hotlap::conformance {

// The whole case in one piece, or in pieces cut at `points`. Views into `one`.
Script script_for(const Case& one, std::span<const size_t> points = {});
// One byte at a time.
Script script_of_bytes(const Case& one);

// Empty where the outcome is as expected, else one line that says what is not.
std::string check_outcome(const Case& one, const Outcome& outcome);

// Everything comparable of an outcome: replies masked, and how it ended.
std::string comparable(const Case& one, const Outcome& outcome);

// The first place where two comparable texts differ, with a little around it, printable.
std::string describe_difference(const std::string& want, const std::string& got);

// Text with controls and bytes above 0x7e escaped, cut to `max_bytes`.
std::string printable(std::string_view bytes, size_t max_bytes = 120);

}  // namespace hotlap::conformance
