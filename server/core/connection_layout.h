// Where each stage's state lies within the one allocation of a connection.
#pragma once

#include "server/pipeline.h"

namespace hotlap::server {

struct ConnectionLayout {
  explicit ConnectionLayout(const Pipeline& pipeline);

  std::size_t bytes;
  std::size_t align;
  // Offsets from the start of the allocation, at which the Connection itself lies.
  std::size_t receive;
  std::size_t read_buffer;
  std::size_t header_map;
  std::size_t address;
  std::size_t response;
  std::size_t allocation;
  std::size_t transport;
};

}  // namespace hotlap::server
