// A header map with all that a connection would give it, for calling the stage alone.
#pragma once

#include <string_view>
#include <vector>

#include "server/stage_state.h"
#include "variants/registry.h"

namespace hotlap::variants {

class OwnedMap {
 public:
  explicit OwnedMap(const server::HeaderMapStage& stage)
      : stage_(stage),
        allocation_(*variants_of<server::AllocationStage>().front()),
        state_(stage.info),
        arena_state_(allocation_.info) {
    arena_.stage = &allocation_;
    arena_.state = arena_state_.get();
    allocation_.init(arena_.state, arena_);
    stage_.init(state_.get());
  }
  ~OwnedMap() {
    stage_.destroy(state_.get());
    allocation_.destroy(arena_.state, arena_);
  }
  server::HttpStatus parse(std::string_view block) {
    framing = server::FramingFields{};
    return stage_.parse(state_.get(), block, arena_, framing);
  }
  // As between two requests.
  void finish_request() {
    stage_.clear(state_.get());
    allocation_.reset(arena_.state, arena_);
  }
  std::vector<server::HeaderField> fields() const {
    std::vector<server::HeaderField> all;
    for (std::size_t i = 0; i < stage_.count(state_.get()); ++i) {
      all.push_back(stage_.at(state_.get(), i));
    }
    return all;
  }
  bool first(std::string_view name, std::string_view& value) const {
    return stage_.first(state_.get(), name, value);
  }

  server::FramingFields framing;

 private:
  const server::HeaderMapStage& stage_;
  const server::AllocationStage& allocation_;
  server::StageState state_, arena_state_;
  server::Arena arena_;
};

}  // namespace hotlap::variants
