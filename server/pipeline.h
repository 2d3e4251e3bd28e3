// A pipeline: one variant for every stage with its argument, resolved once at start.
//   SPEC = [PROFILE] ("," stage "=" variant [":" argument])*     e.g. fast,address=lazy
// Without a profile the changes are to `baseline`. Nothing falls back: every error lists what
// exists. Reads the registry (variants/registry.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/stages/all.h"
#ifdef HOTLAP_FUSED
#include "server/fused/fused.h"
#endif

namespace hotlap::server {

template <class Stage>
struct Chosen {
  const Stage* variant = nullptr;
  StageConfig config;

#ifdef HOTLAP_FUSED
  const Stage* get() const { return fused_variant<Stage>; }
#else
  const Stage* get() const { return variant; }
#endif
  const Stage* operator->() const { return get(); }
};

struct Pipeline {
#define HOTLAP_STAGE_FIELD(stage, type) Chosen<type> stage;
  HOTLAP_STAGES(HOTLAP_STAGE_FIELD)
#undef HOTLAP_STAGE_FIELD
};

struct Profile {
  const char* name;
  const char* summary;
  const char* changes;  // to baseline; for baseline itself all fifteen
};
// baseline, fast, original.
const Profile* profiles_begin();
const Profile* profiles_end();

// The pipeline of a spec, or nothing and an error of one line or more.
std::optional<Pipeline> parse_pipeline(std::string_view spec, std::string& error);

// Whether its variants go with one another, and are those of this program where one pipeline is
// fused into it (server/fused); if not, false and an error that names the one that does
// not, and why. parse_pipeline() asks this too.
bool check_conflicts(const Pipeline& pipeline, std::string& error);

// `dispatch=inline_pollers:1,readiness=epoll_level,...`: all fifteen, in the order of
// HOTLAP_STAGES.
std::string describe_pipeline(const Pipeline& pipeline);

// Exemption bits of all its variants together.
unsigned pipeline_exemptions(const Pipeline& pipeline);

// Every pipeline one variant away from `base` as a full spec, those that are impossible or
// unsupported here left out. Together with base they cover every variant that runs.
std::vector<std::string> one_factor_away(const Pipeline& base);

const char* stage_name(StageId stage);

}  // namespace hotlap::server
