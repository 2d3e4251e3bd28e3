// Costs nothing a request: worked out once at start.
#include "server/core/connection_layout.h"

#include <algorithm>

#include "server/core/connection.h"

namespace hotlap::server {

ConnectionLayout::ConnectionLayout(const Pipeline& pipeline)
    : bytes(sizeof(Connection)), align(alignof(Connection)) {
  const auto place = [this](const VariantInfo& info) {
    const std::size_t state_align = std::max<std::size_t>(info.state_align, 1);
    const std::size_t at = (bytes + state_align - 1) / state_align * state_align;
    bytes = at + info.state_size;
    align = std::max(align, state_align);
    return at;
  };
  // Those used first in a request first, so that neighbours in time are neighbours in memory.
  receive = place(pipeline.receive->info);
  transport = place(pipeline.transport->info);
  read_buffer = place(pipeline.read_buffer->info);
  allocation = place(pipeline.allocation->info);
  response = place(pipeline.response->info);
  address = place(pipeline.address->info);
  header_map = place(pipeline.header_map->info);
}

}  // namespace hotlap::server
