// The stages that can be called alone, each registered for every variant that its registry lists
// and this machine runs. Names are stage/variant/input, which hotlap-micro takes apart again when
// it saves figures; the first input registered for a stage is its typical one.
#pragma once

#include <benchmark/benchmark.h>

#include <string>

#include "variants/micro_benchmark/loop_counters.h"
#include "variants/registry.h"

namespace hotlap::variants {

void add_head_stages(const LoopCounters& counters);    // request_line, header_map, router
void add_memory_stages(const LoopCounters& counters);  // read_buffer, allocation
void add_reply_stages(const LoopCounters& counters);   // address, date, response, ballast

// run: void (benchmark::State&, const LoopCounters&, const Stage& variant, const Input& input).
template <class Stage, class Inputs, class Run>
void add_stage(const char* stage, const Inputs& inputs, const LoopCounters& counters, Run run) {
  for (const Stage* variant : variants_of<Stage>()) {
    if (server::unsupported_reason(variant->info) != nullptr) continue;
    for (const auto& input : inputs) {
      const std::string name = std::string(stage) + "/" + variant->info.name + "/" + input.name;
      benchmark::RegisterBenchmark(name.c_str(),
                                   [variant, input, run, &counters](benchmark::State& state) {
                                     run(state, counters, *variant, input);
                                   });
    }
  }
}

}  // namespace hotlap::variants
