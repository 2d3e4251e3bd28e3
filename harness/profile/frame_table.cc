// See frame_table.h.
#include "harness/profile/frame_table.h"

#include <utility>

#include "harness/profile/valid_utf8.h"

namespace hotlap::profile {

std::string object_name(const ScriptFrame& frame) {
  const std::string_view path = frame.object;
  if (frame.kernel && (path.empty() || path.starts_with("[kernel"))) return kKernelObject;
  if (path.empty()) return kUnknownFunction;
  return valid_utf8(path.substr(path.rfind('/') + 1));  // npos + 1 is 0
}

std::string function_name(const ScriptFrame& frame) {
  return frame.function.empty() ? kUnknownFunction : valid_utf8(frame.function);
}

std::vector<uint32_t> FrameTable::stack_of(const ScriptSample& sample,
                                           const std::vector<std::string>& stages) {
  std::vector<uint32_t> stack;
  for (size_t i = sample.frames.size(); i-- > 0;) {
    const ScriptFrame& frame = sample.frames[i];
    Key key(function_name(frame), object_name(frame), frame.kernel, stages[i]);
    const auto [at, is_new] = indices_.try_emplace(std::move(key), frames_.size());
    if (is_new) frames_.push_back(at->first);
    stack.push_back(at->second);
  }
  return stack;
}

void FrameTable::fill(google::protobuf::RepeatedPtrField<hotlap::v1::Frame>& frames) const {
  for (const auto& [function, object, kernel, stage] : frames_) {
    hotlap::v1::Frame& frame = *frames.Add();
    frame.set_function(function);
    frame.set_object(object);
    frame.set_kernel(kernel);
    frame.set_stage(stage);
  }
}

}  // namespace hotlap::profile
