// What the seam costs is measured against a build in which it is gone: with HOTLAP_FUSED each
// stage's table is a constant, so that, with link-time optimisation over the whole program, every
// call of a stage is direct and may be inlined. Included by server/pipeline.h in that build only.
#pragma once

#include "server/stages/all.h"

namespace hotlap::variants {
#define HOTLAP_FUSE(stage, name) extern const server::contract::stage stage##_##name;
#include "server/fused/pipeline.def"
#undef HOTLAP_FUSE
}  // namespace hotlap::variants

namespace hotlap::server {

// fused_variant<RequestLineStage>: the one variant of that stage in this program.
template <class Stage>
inline constexpr const Stage* fused_variant = nullptr;
#define HOTLAP_FUSE(stage, name)                                           \
  template <>                                                              \
  inline constexpr const contract::stage* fused_variant<contract::stage> = \
      &variants::stage##_##name;
#include "server/fused/pipeline.def"
#undef HOTLAP_FUSE

}  // namespace hotlap::server
