// See search_report.h.
#include "harness/cli/search_report.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "harness/cli/load_report.h"
#include "harness/cli/time_text.h"

namespace hotlap::cli {
namespace {

constexpr int kSchema = 1;

std::string time_cell(const load::Histogram& times, double q) {
  const auto value = times.supported_quantile_ns(q);
  return value ? time_text(static_cast<double>(*value)) : "-";
}

}  // namespace

std::string SearchReport::head() const {
  return absl::StrFormat("the highest rate with %s, %s a step\n\n  %12s%10s%10s%12s%12s%12s\n",
                         promise_.text, flags_.duration, "asked/s", "sent", "failed", "p50", "p99",
                         absl::StrFormat("p%g", promise_.quantile * 100));
}

std::string SearchReport::add(const LoadResult& result, bool kept) {
  nlohmann::ordered_json step;
  const auto promised = result.response.supported_quantile_ns(promise_.quantile);
  step["kept"] = kept;
  step["promised_ns"] = promised ? nlohmann::ordered_json(*promised) : nullptr;
  step["load"] = nlohmann::ordered_json::parse(load_json(flags_, result));
  steps_.push_back(step.dump());
  return absl::StrFormat("  %12s%10s%10s%12s%12s%12s  %s\n",
                         rate_text(result.line.effective_open().rate_per_s()),
                         absl::StrFormat("%.1f %%", 100 * result.sent_share().value_or(0)),
                         count_text(failures(result.line.counts())),
                         time_cell(result.response, 0.5), time_cell(result.response, 0.99),
                         time_cell(result.response, promise_.quantile), kept ? "kept" : "broken");
}

std::string SearchReport::conclusion(const RateSearch& search) const {
  if (!search.highest_kept_per_s()) return "";
  std::string text = absl::StrCat("\n  ", rate_text(*search.highest_kept_per_s()),
                                  " requests/s keep ", promise_.text);
  if (const auto broken = search.lowest_broken_per_s()) {
    absl::StrAppend(&text, ", ", rate_text(*broken), " do not");
  }
  return text + "\n";
}

std::string SearchReport::json(const RateSearch& search, const std::string& command) const {
  nlohmann::ordered_json object;
  object["schema"] = kSchema;
  object["command"] = command;
  object["promise"] = promise_.text;
  object["quantile"] = promise_.quantile;
  object["limit_ns"] = promise_.limit_ns;
  const auto highest = search.highest_kept_per_s();
  object["highest_rate_per_s"] = highest ? nlohmann::ordered_json(*highest) : nullptr;
  object["steps"] = nlohmann::ordered_json::array();
  for (const std::string& step : steps_) {
    object["steps"].push_back(nlohmann::ordered_json::parse(step));
  }
  return absl::StrCat(object.dump(2), "\n");
}

}  // namespace hotlap::cli
