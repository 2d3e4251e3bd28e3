// The curve of a search for the highest rate: a row a load, then what came of it.
#ifndef HOTLAP_HARNESS_CLI_SEARCH_REPORT_H_
#define HOTLAP_HARNESS_CLI_SEARCH_REPORT_H_

#include <string>
#include <vector>

#include "harness/cli/load_flags.h"
#include "harness/cli/load_result.h"
#include "harness/cli/rate_search.h"

namespace hotlap::cli {

class SearchReport {
 public:
  // Both must outlive it.
  SearchReport(const LoadFlags& flags, const Promise& promise) : flags_(flags), promise_(promise) {}

  bool empty() const { return steps_.empty(); }
  std::string head() const;
  // Takes the load into the report; its row of the table.
  std::string add(const LoadResult& result, bool kept);
  std::string conclusion(const RateSearch& search) const;
  // {"schema", "command", "promise", "quantile", "limit_ns", "highest_rate_per_s", "steps"}: a step
  // is "kept", "promised_ns" (null where samples were too few) and "load", which follows
  // load.schema.json.
  std::string json(const RateSearch& search, const std::string& command) const;

 private:
  const LoadFlags& flags_;
  const Promise& promise_;
  std::vector<std::string> steps_;  // JSON
};

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_SEARCH_REPORT_H_
