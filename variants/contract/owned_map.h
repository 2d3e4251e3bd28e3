// A header map with all that a connection would give it, for calling the stage alone.
#pragma once

#include <string_view>
#include <vector>

#include "variants/contract/owned_arena.h"

namespace hotlap::variants {

class OwnedMap {
 public:
  explicit OwnedMap(const server::HeaderMapStage& stage) : stage_(stage), state_(stage.info) {
    stage_.init(state_.get());
  }
  ~OwnedMap() { stage_.destroy(state_.get()); }
  OwnedMap(const OwnedMap&) = delete;
  OwnedMap& operator=(const OwnedMap&) = delete;

  server::HttpStatus parse(std::string_view block) {
    framing = server::FramingFields{};
    return stage_.parse(state_.get(), block, arena_.get(), framing);
  }
  // As between two requests.
  void finish_request() {
    stage_.clear(state_.get());
    arena_.reset();
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
  server::StageState state_;
  OwnedArena arena_;
};

}  // namespace hotlap::variants
