// See preload_library.h.
#include "harness/capture/preload_library.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace hotlap::capture {
namespace {

namespace fs = std::filesystem;

constexpr char kPreload[] = "LD_PRELOAD";

}  // namespace

absl::StatusOr<std::string> find_beside(const char* name) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const fs::path place = self.parent_path().parent_path() / "lib" / "hotlap" / name;
  const fs::path canonical = fs::canonical(place, error);
  if (!error && access(canonical.c_str(), R_OK) == 0) return canonical.string();
  return absl::NotFoundError(
      absl::StrCat(place.string(), " is not there: it is built and installed with hotlap"));
}

void add_preload(const std::string& library, Variables& environment) {
  const char* inherited = std::getenv(kPreload);
  std::string others = inherited == nullptr ? "" : inherited;
  const auto own = std::find_if(environment.begin(), environment.end(),
                                [](const auto& one) { return one.first == kPreload; });
  if (own != environment.end()) {
    others = own->second;
    environment.erase(own);
  }
  environment.emplace_back(kPreload, others.empty() ? library : absl::StrCat(library, ":", others));
}

bool has_mapped(pid_t pid, const std::string& path) {
  std::ifstream maps(absl::StrCat("/proc/", pid, "/maps"));
  std::string line;
  while (std::getline(maps, line)) {
    if (absl::EndsWith(line, path)) return true;
  }
  return false;
}

}  // namespace hotlap::capture
