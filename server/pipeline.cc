// Specs are resolved against the registry alone: nothing here names a variant but the profiles.
#include "server/pipeline.h"

#include <iterator>

#include "variants/registry.h"

namespace hotlap::server {
namespace {

constexpr const char* kStageNames[] = {
#define HOTLAP_STAGE_TEXT(stage, type) #stage,
    HOTLAP_STAGES(HOTLAP_STAGE_TEXT)
#undef HOTLAP_STAGE_TEXT
};
static_assert(std::size(kStageNames) == kStageCount);

constexpr Profile kProfiles[] = {
    {"baseline", "plain and sound",
     "dispatch=inline_pollers,readiness=epoll_level,receive=recv_once,read_buffer=fresh_block,"
     "request_line=regex,header_map=unordered_map,address=per_request,date=per_request,"
     "router=hash,response=concat,socket_options=nodelay,allocation=arena,body=copy,"
     "transport=plain,ballast=none"},
    {"fast", "the best known of every stage",
     "readiness=epoll_edge,read_buffer=reuse,request_line=scalar,header_map=pod,address=lazy,"
     "date=per_second,response=coalesce"},
    {"original", "the historical server, its faults included",
     "dispatch=thread_pool,read_buffer=growing,response=two_writes"},
};

template <class T>
std::string join_names(const T& names) {
  std::string joined;
  for (const auto& name : names) joined += (joined.empty() ? "" : ", ") + std::string(name);
  return joined;
}

// All of a stage, or those that this machine can run.
template <class Stage>
std::string variant_names(bool only_supported) {
  std::vector<std::string> names;
  for (const Stage* variant : variants::variants_of<Stage>()) {
    if (only_supported && unsupported_reason(variant->info) != nullptr) continue;
    names.push_back(variant->info.name);
  }
  return join_names(names);
}

std::string profile_names() {
  std::vector<std::string> names;
  for (const Profile& profile : kProfiles) names.push_back(profile.name);
  return join_names(names);
}

template <class Stage>
bool choose(const char* stage, std::string_view choice, Chosen<Stage>& chosen, std::string& error) {
  const std::size_t colon = choice.find(':');
  const std::string_view name = choice.substr(0, colon);
  const std::string_view argument =
      colon == choice.npos ? std::string_view() : choice.substr(colon + 1);
  for (const Stage* variant : variants::variants_of<Stage>()) {
    if (name != variant->info.name) continue;
    StageConfig config;
    config.argument = argument;
    const std::string spelled = std::string(stage) + "=" + std::string(choice);
    if (const char* reason = configure_variant(variant->info, argument, config)) {
      error = spelled + ": " + reason;
      return false;
    }
    if (const char* reason = unsupported_reason(variant->info)) {
      error = spelled + ": not supported on this machine: " + reason + "; " + stage +
              " has, of those that run here, " + variant_names<Stage>(true);
      return false;
    }
    chosen.variant = variant;
    chosen.config = std::move(config);
    return true;
  }
  error = std::string(stage) + " has no variant '" + std::string(name) + "'; it has " +
          variant_names<Stage>(false);
  return false;
}

bool apply_change(std::string_view change, Pipeline& pipeline, std::string& error) {
  const std::size_t equals = change.find('=');
  if (equals == change.npos) {
    error = "'" + std::string(change) + "' is neither a profile (" + profile_names() +
            ", and only at the front) nor of the form stage=variant[:argument]";
    return false;
  }
  const std::string_view stage = change.substr(0, equals);
  const std::string_view choice = change.substr(equals + 1);
#define HOTLAP_CHOOSE(name, type) \
  if (stage == #name) return choose<type>(#name, choice, pipeline.name, error);
  HOTLAP_STAGES(HOTLAP_CHOOSE)
#undef HOTLAP_CHOOSE
  error = "there is no stage '" + std::string(stage) + "'; there are " + join_names(kStageNames);
  return false;
}

bool apply_changes(std::string_view changes, Pipeline& pipeline, std::string& error) {
  for (;;) {
    const std::size_t comma = changes.find(',');
    if (!apply_change(changes.substr(0, comma), pipeline, error)) return false;
    if (comma == changes.npos) return true;
    changes.remove_prefix(comma + 1);
  }
}

std::string describe_choice(const char* stage, const VariantInfo& info, const StageConfig& config) {
  std::string text = std::string(stage) + "=" + info.name;
  if (!config.argument.empty()) text += ":" + config.argument;
  return text;
}

}  // namespace

const char* configure_variant(const VariantInfo& info, std::string_view argument,
                              StageConfig& config) {
  if (info.configure != nullptr) return info.configure(argument, config);
  return argument.empty() ? nullptr : "takes no argument";
}

bool check_conflicts(const Pipeline& pipeline, std::string& error) {
#define HOTLAP_IS_FUSED(stage, type)                                          \
  if (pipeline.stage.variant != pipeline.stage.get()) {                       \
    error = std::string(#stage "=") + pipeline.stage.variant->info.name +     \
            " is impossible here: this program has nothing but " #stage "=" + \
            pipeline.stage->info.name + " fused into it";                     \
    return false;                                                             \
  }
  HOTLAP_STAGES(HOTLAP_IS_FUSED)
#undef HOTLAP_IS_FUSED
#define HOTLAP_CONFLICT(stage, type)                                                            \
  if (const char* reason = conflict_reason(pipeline.stage->info, pipeline)) {                   \
    error =                                                                                     \
        std::string(#stage "=") + pipeline.stage->info.name + " is impossible here: " + reason; \
    return false;                                                                               \
  }
  HOTLAP_STAGES(HOTLAP_CONFLICT)
#undef HOTLAP_CONFLICT
  return true;
}

const char* unsupported_reason(const VariantInfo& info) {
  return info.supported == nullptr ? nullptr : info.supported();
}

const char* conflict_reason(const VariantInfo& info, const Pipeline& pipeline) {
  return info.valid_with == nullptr ? nullptr : info.valid_with(pipeline);
}

const Profile* profiles_begin() { return std::begin(kProfiles); }
const Profile* profiles_end() { return std::end(kProfiles); }
const char* stage_name(StageId stage) { return kStageNames[static_cast<int>(stage)]; }

std::optional<Pipeline> parse_pipeline(std::string_view spec, std::string& error) {
  Pipeline pipeline;
  if (!apply_changes(kProfiles[0].changes, pipeline, error)) return std::nullopt;
  const std::string_view front = spec.substr(0, spec.find(','));
  std::string_view changes = spec;
  for (const Profile& profile : kProfiles) {
    if (front != profile.name) continue;
    if (&profile != kProfiles && !apply_changes(profile.changes, pipeline, error)) {
      return std::nullopt;
    }
    changes.remove_prefix(front.size());
    if (changes.empty()) break;
    changes.remove_prefix(1);
    if (changes.empty()) changes = ",";
    break;
  }
  if (!changes.empty() && !apply_changes(changes, pipeline, error)) return std::nullopt;
  if (!check_conflicts(pipeline, error)) return std::nullopt;
  return pipeline;
}

std::string describe_pipeline(const Pipeline& pipeline) {
  std::string text;
#define HOTLAP_DESCRIBE(stage, type)  \
  text += (text.empty() ? "" : ",") + \
          describe_choice(#stage, pipeline.stage->info, pipeline.stage.config);
  HOTLAP_STAGES(HOTLAP_DESCRIBE)
#undef HOTLAP_DESCRIBE
  return text;
}

unsigned pipeline_exemptions(const Pipeline& pipeline) {
  unsigned bits = 0;
#define HOTLAP_EXEMPT(stage, type) bits |= pipeline.stage->info.exemptions;
  HOTLAP_STAGES(HOTLAP_EXEMPT)
#undef HOTLAP_EXEMPT
  return bits;
}

std::vector<std::string> one_factor_away(const Pipeline& base) {
  std::vector<std::string> specs;
  const std::string full = describe_pipeline(base);
  for (int stage = 0; stage < kStageCount; ++stage) {
    for (const VariantInfo* info : variants::infos_of(static_cast<StageId>(stage))) {
      // A variant that must have an argument is tried with the number one.
      for (const char* argument : {"", ":1"}) {
        const std::string spec = full + "," + kStageNames[stage] + "=" + info->name + argument;
        std::string error;
        const auto pipeline = parse_pipeline(spec, error);
        if (!pipeline) continue;
        std::string described = describe_pipeline(*pipeline);
        if (described != full) specs.push_back(std::move(described));
        break;
      }
    }
  }
  return specs;
}

}  // namespace hotlap::server
