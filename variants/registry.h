// Every variant that variants.def lists, by stage. Costs nothing at run time but the tables.
#pragma once

#include <span>

#include "server/stages/all.h"

namespace hotlap::variants {

// variants_of<server::RequestLineStage>(): in the order of variants.def; the first variant of a
// stage is the reference that others are compared with.
template <class Stage>
std::span<const Stage* const> variants_of();

// The same by stage name, as far as all stages are alike.
std::span<const server::VariantInfo* const> infos_of(server::StageId stage);

}  // namespace hotlap::variants
