// The server's list of stages and variants, with what `hotlap-micro --save` last measured on this
// machine beside each. The list is the server's own, so that it cannot lag behind it.
#ifndef HOTLAP_HARNESS_CLI_VARIANT_LIST_H_
#define HOTLAP_HARNESS_CLI_VARIANT_LIST_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "harness/record/micro_figures.h"

namespace hotlap::cli {

// Of `hotlap-server --list --json`. INTERNAL where it is not of the form known here.
absl::StatusOr<nlohmann::ordered_json> parse_variant_list(const std::string& text);

// Puts "micro" into the list (when and on what it was measured; null with a "micro_absent" where
// there is nothing) and into each variant that was measured.
void add_figures(nlohmann::ordered_json& list, const absl::StatusOr<record::MicroFigures>& figures,
                 int64_t now_unix_s);

// For people, of a list with figures added.
std::string variant_list_text(const nlohmann::ordered_json& list);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_VARIANT_LIST_H_
