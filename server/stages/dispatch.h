// Stage `dispatch`: which threads accept, wait and run handlers. State: none of its own.
#pragma once

#include <string>

#include "server/stages/variant.h"

namespace hotlap::server {

class Service;

struct DispatchStage {
  VariantInfo info;
  // Every event is armed anew (kOnce), so that an `edge` readiness would be the same as any other.
  bool arms_each_event;
  // How many listening sockets it wants; all share one port.
  int (*listeners)(const StageConfig& config);
  // Serves until service.stop() was called and the drain is over. Empty, or what went wrong.
  std::string (*run)(Service& service, const StageConfig& config);
};

}  // namespace hotlap::server
