// One line of a CSV file. A cell that has no value is empty, never NaN and never -1, so that a
// reader cannot mistake an absent count for a small one.
#ifndef HOTLAP_HARNESS_RECORD_CSV_H_
#define HOTLAP_HARNESS_RECORD_CSV_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hotlap::record {

class CsvLine {
 public:
  CsvLine& text(std::string_view value);  // quoted by RFC 4180 where it must be
  CsvLine& integer(int64_t value);
  CsvLine& integer(std::optional<int64_t> value);
  CsvLine& real(std::optional<double> value);  // shortest form that reads back the same
  CsvLine& empty();

  // The finished line, newline included.
  std::string finish() &&;

 private:
  void separate();

  std::string line_;
  bool first_ = true;
};

}  // namespace hotlap::record

#endif  // HOTLAP_HARNESS_RECORD_CSV_H_
