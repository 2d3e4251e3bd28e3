// The bytes of a lane's requests. One that is always the same costs a branch; others are written
// when they are sent, from their number alone, into a buffer that all the lane's requests share:
// what a socket did not take is written again for the next attempt. No allocation after the start.
#ifndef HOTLAP_HARNESS_LOAD_WIRES_H_
#define HOTLAP_HARNESS_LOAD_WIRES_H_

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "harness/load/arm.h"
#include "harness/load/connection.h"

namespace hotlap::load {

class Wires {
 public:
  explicit Wires(const Arm& arm) : arm_(arm), buffer_(room(arm)) {}

  // All that of() has given is over.
  void begin() { used_ = 0; }
  // Good until the next begin(). Empty where those since have filled the buffer; the first never
  // does.
  std::string_view of(const Flight& flight) {
    if (arm_.longest == 0) [[likely]] {
      return arm_.requests[flight.request].wire;
    }
    return arm_.spec.replay != nullptr ? logged(flight) : with_id(flight);
  }

 private:
  // As many as a send may take along, but no more than the kernel would take at a time anyway.
  static std::size_t room(const Arm& arm) {
    constexpr std::size_t kEnough = std::size_t{256} << 10;
    const auto depth = static_cast<std::size_t>(std::max(arm.spec.pipeline, 1));
    return std::max(arm.longest, std::min(arm.longest * depth, kEnough));
  }
  std::string_view logged(const Flight& flight);
  std::string_view with_id(const Flight& flight);

  const Arm& arm_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
  // What stands at the buffer's begin: one like it needs its digits only.
  const RequestTemplate::Layout* first_ = nullptr;
};

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_WIRES_H_
