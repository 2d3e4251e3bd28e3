// Requests written anew for each send.
#include "harness/load/wires.h"

#include <cstring>

namespace hotlap::load {

std::string_view Wires::logged(const Flight& flight) {
  const ReplayLog& log = *arm_.spec.replay;
  const std::size_t kind = log.kind(flight.number);
  const std::string_view start = log.start_line(kind);
  const std::string_view rest = log.takes_body(kind) ? arm_.after_target_empty : arm_.after_target;
  const std::size_t size = start.size() + rest.size();
  if (size > buffer_.size() - used_) return {};
  char* const begin = buffer_.data() + used_;
  std::memcpy(begin, start.data(), start.size());
  std::memcpy(begin + start.size(), rest.data(), rest.size());
  used_ += size;
  return {begin, size};
}

std::string_view Wires::with_id(const Flight& flight) {
  const auto& made = arm_.templates[flight.request];
  if (!made) return arm_.requests[flight.request].wire;
  const Ids& ids = *arm_.spec.ids;
  const IdText id(ids.at(flight.number), ids.width);
  const RequestTemplate::Layout& layout = made->layout(id.text().size());
  const std::size_t size = layout.wire.size();
  if (size > buffer_.size() - used_) return {};
  char* const begin = buffer_.data() + used_;
  if (used_ > 0 || first_ != &layout) std::memcpy(begin, layout.wire.data(), size);
  if (used_ == 0) first_ = &layout;
  layout.write(id.text(), begin);
  used_ += size;
  return {begin, size};
}

}  // namespace hotlap::load
