// `hotlap doctor --fix` and `--restore`: settings of the machine changed for measuring, and taken
// back. What was there before is written to a state file before anything is changed, so that a
// crash between the two can be undone; a restore undoes what hotlap changed and nothing else.
#ifndef HOTLAP_HARNESS_CLI_MACHINE_PREPARATION_H_
#define HOTLAP_HARNESS_CLI_MACHINE_PREPARATION_H_

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "harness/capture/settings.h"

namespace hotlap::cli {

// One setting and what became of it; `change.found` is its former value, `change.wanted` the new.
struct PreparedSetting {
  capture::Setting change;
  enum class Outcome { kPlanned, kDone, kAlready, kLeft, kFailed } outcome = Outcome::kPlanned;
  std::string reason;  // of kAlready, kLeft and kFailed
};

struct Preparation {
  std::vector<PreparedSetting> settings;
  std::string note;  // where there was nothing to do, why

  bool failed() const;
};

class MachinePreparation {
 public:
  // `root` is where /proc and /sys hang.
  MachinePreparation(std::string root, std::filesystem::path state_file)
      : root_(std::move(root)), state_file_(std::move(state_file)) {}

  // Makes every unfit setting fit, and adds to the state file what it was. A setting that does not
  // take is kFailed and the others are made all the same. Errors: the state file cannot be read or
  // written, and then nothing was changed.
  absl::StatusOr<Preparation> fix(bool dry_run);

  // Makes each setting of the state file what it was before hotlap changed it. One that somebody
  // has changed since is left, and says so. The state file is gone afterwards, or holds what
  // failed.
  absl::StatusOr<Preparation> restore(bool dry_run);

 private:
  absl::StatusOr<std::vector<capture::Setting>> read_state(std::string& boot) const;
  absl::Status write_state(const std::vector<capture::Setting>& changed) const;
  std::string boot() const;
  PreparedSetting undo(const capture::Setting& changed, bool dry_run) const;

  const std::string root_;
  const std::filesystem::path state_file_;
};

// $XDG_STATE_HOME/hotlap/machine.json; else /var/lib/hotlap/ of root, ~/.local/state/hotlap/ of
// others. `variable` reads the environment.
std::filesystem::path machine_state_file(const std::function<const char*(const char*)>& variable,
                                         bool is_root);

// A block of lines a setting, its command and its effect; `is_root` false says who must run them.
std::string preparation_text(const Preparation& preparation, bool is_root);
std::string preparation_json(const Preparation& preparation,
                             const std::filesystem::path& state_file);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_MACHINE_PREPARATION_H_
