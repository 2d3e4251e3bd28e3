// Times, counts and rates as a person reads them.
#ifndef HOTLAP_HARNESS_CLI_TIME_TEXT_H_
#define HOTLAP_HARNESS_CLI_TIME_TEXT_H_

#include <cstdint>
#include <string>

namespace hotlap::cli {

// Three or four digits with a unit, at most nine columns: "850 ns", "32.10 us", "1.20 ms",
// "2.500 s".
std::string time_text(double ns);

// "1,234,567".
std::string count_text(int64_t count);

// Three digits at least: "0.250", "12.5", "9,998".
std::string rate_text(double per_s);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_TIME_TEXT_H_
