// Target texts; see target_grammar.h.
#include "harness/cli/target_grammar.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "harness/agent/arm_environment.h"

namespace hotlap::cli {
namespace {

using hotlap::v1::Target;

constexpr char kKinds[] =
    "a profile and changes to it (fast,address=lazy), server:NAME, cmd:COMMAND or url:URL";

bool is_word(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isalpha);
}

}  // namespace

absl::StatusOr<Target> parse_target(const std::string& text) {
  Target target;
  const size_t colon = text.find(':');
  const std::string kind = colon == std::string::npos ? "" : text.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  // "ballast=chain:800" has a colon too: only a bare word before it is a kind.
  if (!is_word(kind)) {
    if (text.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("an empty target: give ", kKinds));
    }
    target.set_pipeline(text);
    return target;
  }
  if (rest.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("target \"", text, "\" has nothing after its kind: give ", kKinds));
  }
  if (kind == "server") {
    target.set_server(rest);
  } else if (kind == "cmd") {
    if (rest.find("{port}") == std::string::npos) {
      return absl::InvalidArgumentError(absl::StrCat(
          "command target \"", rest,
          "\" has no {port}: write {port} where the command takes the port to listen on"));
    }
    target.set_command(rest);
  } else if (kind == "url" || kind == "http") {
    const std::string url = kind == "http" ? text : rest;
    constexpr std::string_view kScheme = "http://";
    if (url.rfind(kScheme, 0) != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("url target \"", url, "\" must begin with http://"));
    }
    const size_t path = url.find('/', kScheme.size());
    if (path != std::string::npos && path + 1 < url.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("url target \"", url,
                       "\" names a server, and what to ask of it would have "
                       "no effect: give --request ",
                       url.substr(path)));
    }
    target.set_url(url);
  } else if (kind == "git") {
    return absl::UnimplementedError(
        "git: targets cannot be built yet: build both revisions and give them as cmd: targets");
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("target \"", text, "\" is of an unknown kind \"", kind, "\": give ", kKinds));
  }
  return target;
}

absl::StatusOr<std::vector<std::string>> expand_stage(const std::string& stage_values,
                                                      const std::string& base) {
  const size_t equals = stage_values.find('=');
  if (equals == std::string::npos || equals == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--stage \"", stage_values, "\" must read STAGE=VARIANT,VARIANT, as in ",
                     "request_line=regex,scalar; `hotlap variants` lists both"));
  }
  const std::string stage = stage_values.substr(0, equals);
  const std::vector<std::string> values = absl::StrSplit(stage_values.substr(equals + 1), ',');
  if (values.size() < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("--stage \"", stage_values, "\" names one variant; an A/B needs two: ", stage,
                     "=", values[0], ",OTHER"));
  }
  std::vector<std::string> targets;
  for (const std::string& value : values) {
    if (value.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--stage \"", stage_values, "\" has an empty variant"));
    }
    targets.push_back(absl::StrCat(base, ",", stage, "=", value));
  }
  return targets;
}

std::string target_text(const Target& target) {
  switch (target.kind_case()) {
    case Target::kPipeline:
      return target.pipeline();
    case Target::kServer:
      return "server:" + target.server();
    case Target::kCommand:
      return "cmd:" + target.command();
    case Target::kUrl:
      return "url:" + target.url();
    case Target::KIND_NOT_SET:
      break;
  }
  return "(none)";
}

std::string arm_text(const hotlap::v1::Arm& arm) {
  return agent::environment_words(arm) + target_text(arm.target());
}

}  // namespace hotlap::cli
