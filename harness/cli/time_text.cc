// Units are chosen after rounding, so that no figure reads "1000.00 us".
#include "harness/cli/time_text.h"

#include <cmath>

#include "absl/strings/str_format.h"

namespace hotlap::cli {

std::string time_text(double ns) {
  if (ns < 999.5) return absl::StrFormat("%.0f ns", ns);
  if (ns < 999.995e3) return absl::StrFormat("%.2f us", ns / 1e3);
  if (ns < 999.995e6) return absl::StrFormat("%.2f ms", ns / 1e6);
  return absl::StrFormat("%.3f s", ns / 1e9);
}

std::string count_text(int64_t count) {
  std::string text = absl::StrFormat("%d", count);
  const size_t first = text.front() == '-' ? 1 : 0;
  for (size_t at = text.size(); at > first + 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string rate_text(double per_s) {
  if (per_s < 9.995) return absl::StrFormat("%.3f", per_s);
  if (per_s < 999.95) return absl::StrFormat("%.1f", per_s);
  return count_text(std::llround(per_s));
}

}  // namespace hotlap::cli
