// Frames of stacks by number, each once, with the names that a profile tells.
#ifndef HOTLAP_HARNESS_PROFILE_FRAME_TABLE_H_
#define HOTLAP_HARNESS_PROFILE_FRAME_TABLE_H_

#include <google/protobuf/repeated_field.h>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "harness/profile/perf_script.h"
#include "harness/proto/profile.pb.h"

namespace hotlap::profile {

// What a function of no name is called, and the kernel as an object.
inline constexpr char kUnknownFunction[] = "[unknown]";
inline constexpr char kKernelObject[] = "[kernel]";

std::string object_name(const ScriptFrame& frame);
std::string function_name(const ScriptFrame& frame);

class FrameTable {
 public:
  // Indices of a sample's frames, root first; `stages` has one for each frame.
  std::vector<uint32_t> stack_of(const ScriptSample& sample,
                                 const std::vector<std::string>& stages);

  void fill(google::protobuf::RepeatedPtrField<hotlap::v1::Frame>& frames) const;

 private:
  using Key = std::tuple<std::string, std::string, bool, std::string>;

  std::map<Key, uint32_t> indices_;
  std::vector<Key> frames_;
};

}  // namespace hotlap::profile

#endif  // HOTLAP_HARNESS_PROFILE_FRAME_TABLE_H_
