// Stage `ballast`: a known amount of extra work, once a request. No state.
#pragma once

#include "server/stages/variant.h"

namespace hotlap::server {

struct BallastStage {
  VariantInfo info;
  void (*spend)(const StageConfig& config);
};

}  // namespace hotlap::server
