// CSV cells; see csv.h.
#include "harness/record/csv.h"

#include <charconv>
#include <cmath>
#include <utility>

namespace hotlap::record {

void CsvLine::separate() {
  if (!first_) line_ += ',';
  first_ = false;
}

CsvLine& CsvLine::text(std::string_view value) {
  separate();
  if (value.find_first_of(",\"\r\n") == std::string_view::npos) {
    line_ += value;
    return *this;
  }
  line_ += '"';
  for (char c : value) {
    if (c == '"') line_ += '"';
    line_ += c;
  }
  line_ += '"';
  return *this;
}

CsvLine& CsvLine::integer(int64_t value) {
  separate();
  line_ += std::to_string(value);
  return *this;
}

CsvLine& CsvLine::integer(std::optional<int64_t> value) {
  return value ? integer(*value) : empty();
}

CsvLine& CsvLine::real(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return empty();
  separate();
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, *value).ptr;
  line_.append(digits, end);
  return *this;
}

CsvLine& CsvLine::empty() {
  separate();
  return *this;
}

std::string CsvLine::finish() && {
  line_ += '\n';
  return std::move(line_);
}

}  // namespace hotlap::record
