// The fifteen contracts, and the one list of their names and types.
#pragma once

#include "server/stages/address.h"
#include "server/stages/allocation.h"
#include "server/stages/ballast.h"
#include "server/stages/body.h"
#include "server/stages/date.h"
#include "server/stages/dispatch.h"
#include "server/stages/header_map.h"
#include "server/stages/read_buffer.h"
#include "server/stages/readiness.h"
#include "server/stages/receive.h"
#include "server/stages/request_line.h"
#include "server/stages/response.h"
#include "server/stages/router.h"
#include "server/stages/socket_options.h"
#include "server/stages/transport.h"

#define HOTLAP_STAGES(X)                \
  X(dispatch, DispatchStage)            \
  X(readiness, ReadinessStage)          \
  X(receive, ReceiveStage)              \
  X(read_buffer, ReadBufferStage)       \
  X(request_line, RequestLineStage)     \
  X(header_map, HeaderMapStage)         \
  X(address, AddressStage)              \
  X(date, DateStage)                    \
  X(router, RouterStage)                \
  X(response, ResponseStage)            \
  X(socket_options, SocketOptionsStage) \
  X(allocation, AllocationStage)        \
  X(body, BodyStage)                    \
  X(transport, TransportStage)          \
  X(ballast, BallastStage)

namespace hotlap::server {

enum class StageId : int {
#define HOTLAP_STAGE_ID(stage, type) stage,
  HOTLAP_STAGES(HOTLAP_STAGE_ID)
#undef HOTLAP_STAGE_ID
};

inline constexpr int kStageCount = 15;

// A contract's type by its stage's name, for lists that only know the name.
namespace contract {
#define HOTLAP_STAGE_TYPE(stage, type) using stage = type;
HOTLAP_STAGES(HOTLAP_STAGE_TYPE)
#undef HOTLAP_STAGE_TYPE
}  // namespace contract

}  // namespace hotlap::server
