// Where `hotlap load` connects, and how: URLs, the flags that overrule them, and TLS.
#ifndef HOTLAP_HARNESS_CLI_LOAD_PLACE_H_
#define HOTLAP_HARNESS_CLI_LOAD_PLACE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/cli/cli11.h"
#include "harness/load/url.h"
#include "harness/proto/control.pb.h"

namespace hotlap::cli {

struct PlaceFlags {
  std::string connect_to;
  std::string unix_path;
  std::string authority_path;  // --ca
  bool insecure = false;
  bool no_resume = false;

  void add_to(CLI::App& command);
  // Whether something other than the URLs says where to connect.
  bool elsewhere() const { return !connect_to.empty() || !unix_path.empty(); }
  // Sets the request's endpoint, and its TLS where the URLs are https. Refuses URLs of several
  // servers, and flags that would have no effect.
  absl::Status set(const std::vector<load::Url>& urls, hotlap::v1::LoadRequest& request) const;
};

absl::StatusOr<std::vector<load::Url>> parse_urls(const std::vector<std::string>& texts);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_LOAD_PLACE_H_
