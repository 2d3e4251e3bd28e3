#include "variants/micro_benchmark/loop_counters.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace hotlap::variants {

LoopCounters::LoopCounters() {
  std::vector<std::string> names;
  names.reserve(std::size(kEvents));
  for (const Event& event : kEvents) names.emplace_back(event.name);
  auto opened = capture::PerfCounters::open(getpid(), names, capture::CounterStart::kNow);
  if (!opened.ok()) {
    why_absent_ = std::string(opened.status().message());
    return;
  }
  counters_ = *std::move(opened);
  for (const auto& [event, reason] : counters_->unavailable()) {
    why_absent_ += (why_absent_.empty() ? "" : "; ") + reason;
  }
}

LoopCounters::Values LoopCounters::read() const {
  Values values;
  if (!counters_) return values;
  const auto read = counters_->read();
  // Counters that shared the PMU with others were scaled: a guess, and so no value.
  if (read.ok()) std::copy_n(read->begin(), values.size(), values.begin());
  return values;
}

}  // namespace hotlap::variants
