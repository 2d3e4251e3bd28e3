// Stage `dispatch`: which threads accept, wait and run handlers. State: none of its own.
#pragma once

#include <string>

#include "server/stages/variant.h"

namespace hotlap::server {

class Service;

struct DispatchStage {
  VariantInfo info;
  // How many listening sockets it wants; all share one port.
  int (*listeners)(const StageConfig& config);
  // Serves until service.stop() was called and the drain is over. Empty, or what went wrong.
  std::string (*run)(Service& service, const StageConfig& config);
};

}  // namespace hotlap::server
