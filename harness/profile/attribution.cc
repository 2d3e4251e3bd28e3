// See attribution.h.
#include "harness/profile/attribution.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace hotlap::profile {
namespace {

constexpr std::string_view kLabProgram = "hotlap-server";
constexpr std::string_view kVariants = "/variants/";
constexpr std::string_view kServer = "/server/";
// Before the name of a system call in the function that does it; the longer ones first.
constexpr std::string_view kCallPrefixes[] = {
    "__x64_sys_", "__arm64_sys_", "__ia32_sys_", "__se_sys_", "__do_sys_",
    "____sys_",   "___sys_",      "__sys_",      "ksys_",     "do_sys_"};

// The kernel's names of calls that have no prefix of their own: all else in "do_" is no call.
constexpr std::string_view kBareCalls[] = {"do_writev", "do_readv", "do_pwritev", "do_preadv",
                                           "do_sendfile"};
// Files outside of variants/ that only one stage calls, and by a tail call, which leaves no frame
// of the variant.
constexpr std::pair<std::string_view, std::string_view> kStagesOfServerFiles[] = {
    {"/server/tls/", "transport"}, {"/server/ballast_chain", "ballast"}};

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

bool is_library(std::string_view object) {
  return object.find(".so") != std::string_view::npos || object.empty() || object.front() == '[';
}

std::string kind_of(const ScriptSample& sample) {
  if (sample.frames.empty()) return "unknown";
  if (!sample.frames.front().kernel) {
    return is_library(sample.frames.front().object) ? "libraries" : "program";
  }
  const std::string call = system_call_of(sample);
  return call.empty() ? "kernel" : absl::StrCat("kernel: ", call);
}

}  // namespace

std::string stage_of_source(std::string_view path) {
  if (const size_t at = path.rfind(kVariants); at != std::string_view::npos) {
    const std::string_view within = path.substr(at + kVariants.size());
    const size_t slash = within.find('/');
    return std::string(slash == std::string_view::npos ? kServerStage : within.substr(0, slash));
  }
  for (const auto& [part, stage] : kStagesOfServerFiles) {
    if (path.find(part) != std::string_view::npos) return std::string(stage);
  }
  return path.find(kServer) == std::string_view::npos ? "" : std::string(kServerStage);
}

std::string system_call_in(const std::vector<std::string_view>& kernel_functions) {
  for (const std::string_view function : kernel_functions) {
    if (function.find("page_fault") != std::string_view::npos) return "page fault";
    for (const std::string_view call : kBareCalls) {
      if (function == call) return std::string(call.substr(call.find('_') + 1));
    }
    for (const std::string_view prefix : kCallPrefixes) {
      if (!function.starts_with(prefix)) continue;
      const std::string_view call = function.substr(prefix.size());
      return std::string(call.substr(0, call.find('.')));
    }
  }
  return "";
}

std::string system_call_of(const ScriptSample& sample) {
  std::vector<std::string_view> functions;
  for (auto frame = sample.frames.rbegin(); frame != sample.frames.rend(); ++frame) {
    if (frame->kernel) functions.push_back(frame->function);
  }
  return system_call_in(functions);
}

std::string charge(const ScriptSample& sample, const std::vector<std::string>& stages) {
  std::string_view charged;
  for (const std::string& stage : stages) {
    if (stage.empty()) continue;
    charged = stage;
    if (stage != kServerStage) break;
  }
  return charged.empty() ? kind_of(sample) : std::string(charged);
}

const ScriptFrame* site_of(const ScriptSample& sample, const std::vector<std::string>& stages) {
  const ScriptFrame* server = nullptr;
  const ScriptFrame* program = nullptr;
  const ScriptFrame* any = nullptr;
  for (size_t i = 0; i < sample.frames.size(); ++i) {
    const ScriptFrame& frame = sample.frames[i];
    if (frame.kernel || frame.function.empty()) continue;
    if (!stages[i].empty() && stages[i] != kServerStage) return &frame;
    if (!stages[i].empty() && server == nullptr) server = &frame;
    if (!is_library(frame.object) && program == nullptr) program = &frame;
    if (any == nullptr) any = &frame;
  }
  if (server != nullptr) return server;
  return program != nullptr ? program : any;
}

ObjectFile* ObjectFiles::find(const std::string& path) {
  const auto known = files_.find(path);
  if (known != files_.end()) return known->second.get();
  auto& file = files_[path];
  if (!path.empty() && path.front() == '/') {
    auto opened = ObjectFile::open(path);
    if (opened.ok()) file = *std::move(opened);
  }
  return file.get();
}

std::string Attribution::stage_at(const std::string& object, uint64_t offset) {
  const auto key = std::make_pair(object, offset);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  std::string stage;
  const ObjectFile* file = files_.find(object);
  if (file == nullptr || !file->has_debug_information()) {
    const std::string name(file_name(object));
    if (std::find(blind_.begin(), blind_.end(), name) == blind_.end()) blind_.push_back(name);
  } else if (const auto address = file->address_of(offset)) {
    stage = stage_of_source(file->compiled_from(*address));
  }
  known_.emplace(key, stage);
  return stage;
}

std::vector<std::string> Attribution::stages_of(const ScriptSample& sample) {
  std::vector<std::string> stages(sample.frames.size());
  for (size_t i = 0; i < sample.frames.size(); ++i) {
    const ScriptFrame& frame = sample.frames[i];
    if (frame.kernel || !file_name(frame.object).starts_with(kLabProgram)) continue;
    // A caller's address is where it goes on: the call stands before it.
    const uint64_t back = i > 0 && frame.address > 0 ? 1 : 0;
    stages[i] = stage_at(std::string(frame.object), frame.address - back);
  }
  return stages;
}

}  // namespace hotlap::profile
