#include "server/conformance/pipelines.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "server/conformance/covering_array.h"
#include "server/pipeline.h"
#include "variants/registry.h"

namespace hotlap::conformance {
namespace {

std::set<std::string> choices(const std::string& spec) {
  std::set<std::string> out;
  std::istringstream stream(spec);
  for (std::string choice; std::getline(stream, choice, ',');) out.insert(choice);
  return out;
}

constexpr std::uint64_t kCoveringSeed = 1;

// `stage=variant` of every variant that runs here, stage by stage; an argument where one is needed.
std::vector<std::vector<std::string>> choices_by_stage() {
  std::vector<std::vector<std::string>> all;
  for (int stage = 0; stage < server::kStageCount; ++stage) {
    const auto id = static_cast<server::StageId>(stage);
    std::vector<std::string>& choices = all.emplace_back();
    for (const server::VariantInfo* info : variants::infos_of(id)) {
      if (server::unsupported_reason(*info) != nullptr) continue;
      server::StageConfig config;
      std::string choice = std::string(server::stage_name(id)) + "=" + info->name;
      if (server::configure_variant(*info, "", config) != nullptr) choice += ":1";
      choices.push_back(std::move(choice));
    }
  }
  return all;
}

template <class Stage>
const Stage* first_of() {
  return variants::variants_of<Stage>().front();
}

}  // namespace

CoveringPipelines covering_pipelines(int strength) {
  const auto choices = choices_by_stage();
  std::vector<int> levels;
  levels.reserve(choices.size());
  for (const auto& of_stage : choices) levels.push_back(static_cast<int>(of_stage.size()));
  const auto spec_of = [&choices](const Row& row) {
    std::string spec;
    for (std::size_t stage = 0; stage < row.size(); ++stage) {
      spec += (stage == 0 ? "" : ",") + choices[stage][static_cast<std::size_t>(row[stage])];
    }
    return spec;
  };
  const auto valid = [&spec_of](const Row& row) {
    std::string error;
    return server::parse_pipeline(spec_of(row), error).has_value();
  };
  const CoveringArray array = covering_array(levels, strength, valid, kCoveringSeed);
  CoveringPipelines out{{}, array.covered, array.impossible};
  for (const Row& row : array.rows) out.specs.push_back(spec_of(row));
  return out;
}

#if defined(__SANITIZE_THREAD__)

// Threads can only race where there are several.
std::vector<std::string> pipelines_to_test() {
  std::vector<std::string> specs = waiting_pipelines();
  std::erase_if(specs, [](const std::string& spec) { return spec.find(":2,") == spec.npos; });
  return specs;
}

#else

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

#endif

std::vector<std::string> waiting_pipelines() {
  const auto choices_of = [](server::StageId stage, const char* argument) {
    std::vector<std::string> texts;
    for (const server::VariantInfo* info : variants::infos_of(stage)) {
      texts.push_back(std::string(",") + server::stage_name(stage) + "=" + info->name + argument);
    }
    return texts;
  };
  std::vector<std::string> changes = {""};
  for (const std::string& readiness : choices_of(server::StageId::readiness, "")) {
    for (const std::string& dispatch : choices_of(server::StageId::dispatch, ":2")) {
      changes.push_back(dispatch + readiness);
    }
    for (const std::string& receive : choices_of(server::StageId::receive, "")) {
      changes.push_back(receive + readiness);
    }
  }
  std::string error;
  std::set<std::string> specs;
  for (const std::string& change : changes) {
    const auto pipeline = server::parse_pipeline("baseline" + change, error);
    if (!pipeline) continue;
    const bool another = pipeline->readiness.variant != first_of<server::ReadinessStage>() &&
                         pipeline->receive.variant != first_of<server::ReceiveStage>();
    if (another && !pipeline->readiness->edge) continue;
    specs.insert(server::describe_pipeline(*pipeline));
  }
  return {specs.begin(), specs.end()};
}

std::string pipeline_test_name(const std::string& spec) {
  std::string error, name = spec;
  auto baseline = server::parse_pipeline("baseline", error);
  if (baseline && server::describe_pipeline(*baseline) == spec) return "baseline";
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
