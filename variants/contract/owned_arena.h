// An arena with its allocation stage's state, for calling stages that take memory alone.
#pragma once

#include "server/stage_state.h"
#include "variants/registry.h"

namespace hotlap::variants {

class OwnedArena {
 public:
  explicit OwnedArena(
      const server::AllocationStage& stage = *variants_of<server::AllocationStage>().front())
      : stage_(stage), state_(stage.info) {
    arena_.stage = &stage_;
    arena_.state = state_.get();
    stage_.init(arena_.state, arena_);
  }
  ~OwnedArena() { stage_.destroy(arena_.state, arena_); }
  OwnedArena(const OwnedArena&) = delete;
  OwnedArena& operator=(const OwnedArena&) = delete;

  server::Arena& get() { return arena_; }
  // As between two requests.
  void reset() { stage_.reset(arena_.state, arena_); }

 private:
  const server::AllocationStage& stage_;
  server::StageState state_;
  server::Arena arena_;
};

}  // namespace hotlap::variants
