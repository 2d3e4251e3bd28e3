// All of it is read from the registry.
#include "server/list.h"

#include <algorithm>

#include "variants/registry.h"

namespace hotlap::server {
namespace {

struct NamedExemption {
  Exemption bit;
  const char* name;
};
constexpr NamedExemption kExemptions[] = {{kExemptGrowing, "growing"}, {kExemptPselect, "pselect"}};

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size() + 1), ' ');
  return text;
}

std::string exemption_names(const VariantInfo& info, const char* quote) {
  std::string names;
  for (const NamedExemption& exemption : kExemptions) {
    if ((info.exemptions & exemption.bit) == 0) continue;
    if (!names.empty()) names += ", ";
    names += quote + std::string(exemption.name) + quote;
  }
  return names;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string variant_json(const VariantInfo& info) {
  const char* const reason = unsupported_reason(info);
  return "{\"name\": " + quoted(info.name) + ", \"summary\": " + quoted(info.summary) +
         ", \"costs\": " + quoted(info.costs) + ", \"exemptions\": [" +
         exemption_names(info, "\"") + "], \"supported\": " + (reason ? "false" : "true") +
         ", \"reason\": " + (reason ? quoted(reason) : "null") + "}";
}

std::string profile_pipeline(const Profile& profile) {
  std::string error;
  const auto pipeline = parse_pipeline(profile.name, error);
  return pipeline ? describe_pipeline(*pipeline) : "unavailable: " + error;
}

}  // namespace

std::string list_text() {
  std::string text;
  for (int stage = 0; stage < kStageCount; ++stage) {
    const auto id = static_cast<StageId>(stage);
    text += std::string(stage_name(id)) + "\n";
    for (const VariantInfo* info : variants::infos_of(id)) {
      const char* const reason = unsupported_reason(*info);
      const std::string exempt = exemption_names(*info, "");
      text += "  " + padded(info->name, 16) + info->summary + "\n";
      text += "  " + padded("", 16) + "costs " + info->costs + "; " +
              (reason ? std::string("does not run here: ") + reason : "runs here") +
              (exempt.empty() ? "" : "; declares the fault " + exempt) + "\n";
    }
  }
  text += "profiles\n";
  for (const Profile* profile = profiles_begin(); profile != profiles_end(); ++profile) {
    text += "  " + padded(profile->name, 16) + profile->summary + "\n  " + padded("", 16) +
            profile_pipeline(*profile) + "\n";
  }
  return text;
}

std::string list_json() {
  std::string json = "{\"stages\": [";
  for (int stage = 0; stage < kStageCount; ++stage) {
    const auto id = static_cast<StageId>(stage);
    json += std::string(stage == 0 ? "" : ",") + "\n  {\"name\": " + quoted(stage_name(id)) +
            ", \"variants\": [";
    const char* separator = "\n    ";
    for (const VariantInfo* info : variants::infos_of(id)) {
      json += separator + variant_json(*info);
      separator = ",\n    ";
    }
    json += "]}";
  }
  json += "],\n \"profiles\": [";
  for (const Profile* profile = profiles_begin(); profile != profiles_end(); ++profile) {
    json += std::string(profile == profiles_begin() ? "" : ",") +
            "\n  {\"name\": " + quoted(profile->name) +
            ", \"summary\": " + quoted(profile->summary) +
            ", \"pipeline\": " + quoted(profile_pipeline(*profile)) + "}";
  }
  return json + "]}\n";
}

std::string describe_text(const Pipeline& pipeline, const Limits& limits) {
  std::string text = "pipeline " + describe_pipeline(pipeline) + "\n";
#define HOTLAP_DESCRIBE_STAGE(stage, type)                                                       \
  text += padded(#stage, 16) + pipeline.stage->info.name + ": " + pipeline.stage->info.summary + \
          "; costs " + pipeline.stage->info.costs + "\n";
  HOTLAP_STAGES(HOTLAP_DESCRIBE_STAGE)
#undef HOTLAP_DESCRIBE_STAGE
  const auto line = [&text](const char* name, std::uint64_t value) {
    text += padded(name, 24) + std::to_string(value) + "\n";
  };
  line("max_head_bytes", limits.head_bytes);
  line("max_headers", limits.headers);
  line("max_target_bytes", limits.target_bytes);
  line("max_body_bytes", limits.body_bytes);
  line("max_connections", limits.connections);
  line("head_timeout_ms", static_cast<std::uint64_t>(limits.head_timeout_ms));
  line("io_timeout_ms", static_cast<std::uint64_t>(limits.io_timeout_ms));
  line("idle_timeout_ms", static_cast<std::uint64_t>(limits.idle_timeout_ms));
  line("linger_timeout_ms", static_cast<std::uint64_t>(limits.linger_timeout_ms));
  line("drain_timeout_ms", static_cast<std::uint64_t>(limits.drain_timeout_ms));
  return text;
}

}  // namespace hotlap::server
