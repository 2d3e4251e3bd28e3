// To whom a sample is charged: the innermost stage of the lab's server on its stack, so that a
// system call, a copy or an allocation belongs to the stage that asked for it; and in programs
// without stages, what kind of code ran. A source file decides whose a function is, not its name:
// variants of different stages have functions of one name.
#ifndef HOTLAP_HARNESS_PROFILE_ATTRIBUTION_H_
#define HOTLAP_HARNESS_PROFILE_ATTRIBUTION_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/profile/object_file.h"
#include "harness/profile/perf_script.h"

namespace hotlap::profile {

// The lab's server beyond its stages: its driver, connections, routes.
inline constexpr std::string_view kServerStage = "server";

// Whose code a source file of the lab is: ".../variants/date/lazy.cc" is "date", other files below
// variants/ and server/ are "server", but for those that one stage alone stands on; empty for all
// else.
std::string stage_of_source(std::string_view path);

// What was going on in the kernel, by its functions from the entry on: "sendmsg" for
// "__sys_sendmsg", "page fault"; empty where none says it.
std::string system_call_in(const std::vector<std::string_view>& kernel_functions);

// The same of a sample that was taken within the kernel; empty of any other.
std::string system_call_of(const ScriptSample& sample);

// What a stack is charged to, by the stages of its frames (innermost first, as in the sample).
std::string charge(const ScriptSample& sample, const std::vector<std::string>& stages);

// Whose code it is that allocates or waits: the innermost frame of the stage that is charged (of
// the lab), else of the program itself, else of any library; null where the stack has neither.
const ScriptFrame* site_of(const ScriptSample& sample, const std::vector<std::string>& stages);

// Files by path, each opened once; null for what cannot be read ("[vdso]", a deleted library).
class ObjectFiles {
 public:
  ObjectFile* find(const std::string& path);

 private:
  std::map<std::string, std::unique_ptr<ObjectFile>> files_;
};

class Attribution {
 public:
  explicit Attribution(ObjectFiles& files) : files_(files) {}

  // The stages of a sample's frames, one each: empty where a frame is not of the lab's server.
  std::vector<std::string> stages_of(const ScriptSample& sample);

  // Programs of the lab without debug information: their stages cannot be told.
  const std::vector<std::string>& blind() const { return blind_; }

 private:
  std::string stage_at(const std::string& object, uint64_t offset);

  ObjectFiles& files_;
  std::map<std::pair<std::string, uint64_t>, std::string> known_;
  std::vector<std::string> blind_;
};

}  // namespace hotlap::profile

#endif  // HOTLAP_HARNESS_PROFILE_ATTRIBUTION_H_
