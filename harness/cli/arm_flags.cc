// See arm_flags.h.
#include "harness/cli/arm_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace hotlap::cli {

void ArmFlags::add_to(CLI::App& command, bool for_runs) {
  const auto add = [&command](const char* flag, std::vector<std::string>& values,
                              const char* text) {
    command.add_option(flag, values, text)->allow_extra_args(false);
  };
  add("--a-env", a_env, "a variable of A's environment alone, NAME=VALUE; may be repeated");
  add("--b-env", b_env, "the same of B's");
  if (!for_runs) return;
  command.add_option("--a-cgroup", a_cgroup,
                     "a cgroup whose CPU time is read too: one that exists takes A in, one that "
                     "does not is made by A's command (systemd-run, a container)");
  command.add_option("--b-cgroup", b_cgroup, "the same for B");
  add("--arm-env", more_env, "the same of any arm by its name, as c:NAME=VALUE");
}

absl::Status ArmFlags::apply(google::protobuf::RepeatedPtrField<hotlap::v1::Arm>& arms) const {
  std::vector<std::pair<std::string, std::string>> asked;  // arm, NAME=VALUE
  for (const std::string& text : a_env) asked.emplace_back("a", text);
  for (const std::string& text : b_env) asked.emplace_back("b", text);
  for (const std::string& text : more_env) {
    const size_t colon = text.find(':');
    if (colon == std::string::npos || colon > text.find('=')) {
      return absl::InvalidArgumentError(
          absl::StrCat("--arm-env \"", text, "\" must read ARM:NAME=VALUE, as in c:GOGC=off"));
    }
    asked.emplace_back(text.substr(0, colon), text.substr(colon + 1));
  }
  for (const auto& [name, text] : asked) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return absl::InvalidArgumentError(absl::StrCat("environment of arm ", name, ": \"", text,
                                                     "\" must read NAME=VALUE, as in GOGC=off"));
    }
    const auto arm = std::find_if(arms.begin(), arms.end(),
                                  [&name = name](const auto& one) { return one.name() == name; });
    if (arm == arms.end()) {
      return absl::InvalidArgumentError(absl::StrCat("environment of arm ", name,
                                                     ": there is no such arm, the last is ",
                                                     arms.rbegin()->name()));
    }
    auto* variable = arm->add_environment();
    variable->set_name(text.substr(0, equals));
    variable->set_value(text.substr(equals + 1));
  }
  for (auto& arm : arms) {
    if (arm.name() == "a") arm.set_cgroup(a_cgroup);
    if (arm.name() == "b") arm.set_cgroup(b_cgroup);
  }
  return absl::OkStatus();
}

}  // namespace hotlap::cli
