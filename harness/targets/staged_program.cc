// See staged_program.h.
#include "harness/targets/staged_program.h"

#include <cerrno>
#include <filesystem>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace hotlap::targets {
namespace {

namespace fs = std::filesystem;

absl::Status stage_one(const fs::path& program, const fs::path& path) {
  std::error_code error;
  fs::create_hard_link(program, path, error);
  if (!error) return absl::OkStatus();
  // Another device, or a file that we may read but not link.
  fs::copy_file(program, path, error);
  if (!error) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("cannot stage ", program.string(), " as ", path.string(),
                                          ": ", error.message(),
                                          "; is there space in the run's temporary directory?"));
}

}  // namespace

absl::StatusOr<StagedProgram> StagedProgram::create(const std::string& program,
                                                    const std::string& directory, int slots) {
  if (slots < 1 || slots > 10) {
    return absl::InvalidArgumentError(
        absl::StrCat(slots, " path slots asked for: 1 to 10 keep the paths equally long"));
  }
  std::error_code error;
  const fs::path real = fs::canonical(program, error);
  if (error) {
    return absl::NotFoundError(
        absl::StrCat("cannot stage ", program, ": ", error.message(), "; build it first"));
  }
  StagedProgram staged;
  for (int slot = 0; slot < slots; ++slot) {
    const fs::path parent = fs::path(directory) / absl::StrCat("p", slot);
    fs::create_directory(parent, error);
    if (error) {
      return absl::InternalError(
          absl::StrCat("cannot make ", parent.string(), ": ", error.message()));
    }
    staged.directories_.push_back(parent);
    const fs::path path = parent / real.filename();
    if (fs::exists(path, error)) {
      return absl::AlreadyExistsError(
          absl::StrCat(path.string(), " is there already: stage every program once a directory"));
    }
    const absl::Status done = stage_one(real, path);
    if (!done.ok()) return done;
    staged.paths_.push_back(path);
  }
  return staged;
}

StagedProgram::~StagedProgram() { remove(); }

StagedProgram::StagedProgram(StagedProgram&& other) noexcept
    : paths_(std::exchange(other.paths_, {})),
      directories_(std::exchange(other.directories_, {})) {}

StagedProgram& StagedProgram::operator=(StagedProgram&& other) noexcept {
  if (this != &other) {
    remove();
    paths_ = std::exchange(other.paths_, {});
    directories_ = std::exchange(other.directories_, {});
  }
  return *this;
}

void StagedProgram::remove() {
  std::error_code ignored;
  for (const std::string& path : paths_) fs::remove(path, ignored);
  // Fails while another program is staged beside this one: the last one to go removes it.
  for (const std::string& directory : directories_) fs::remove(directory, ignored);
  paths_.clear();
  directories_.clear();
}

}  // namespace hotlap::targets
