#include "server/conformance/pipelines.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "server/pipeline.h"

namespace hotlap::conformance {
namespace {

std::set<std::string> choices(const std::string& spec) {
  std::set<std::string> out;
  std::istringstream stream(spec);
  for (std::string choice; std::getline(stream, choice, ',');) out.insert(choice);
  return out;
}

}  // namespace

std::vector<std::string> pipelines_to_test() {
  std::vector<std::string> specs;
  for (auto* profile = server::profiles_begin(); profile != server::profiles_end(); ++profile) {
    specs.emplace_back(profile->name);
  }
  std::string error;
  if (auto baseline = server::parse_pipeline("baseline", error)) {
    for (std::string& spec : server::one_factor_away(*baseline)) specs.push_back(std::move(spec));
  }
  return specs;
}

std::string pipeline_test_name(const std::string& spec) {
  std::string error, name = spec;
  auto baseline = server::parse_pipeline("baseline", error);
  if (baseline && spec.find('=') != std::string::npos) {
    const auto common = choices(server::describe_pipeline(*baseline));
    name.clear();
    for (const std::string& choice : choices(spec)) {
      if (!common.contains(choice)) name += (name.empty() ? "" : "_and_") + choice;
    }
  }
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

std::vector<std::string> server_command(const std::string& spec,
                                        const std::vector<std::string>& flags) {
  std::vector<std::string> command = {HOTLAP_SERVER_BINARY, "--pipeline", spec};
  command.insert(command.end(), flags.begin(), flags.end());
  return command;
}

}  // namespace hotlap::conformance
