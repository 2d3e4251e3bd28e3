// See machine_preparation.h.
#include "harness/cli/machine_preparation.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "harness/capture/whole_file.h"
#include "harness/record/file.h"

namespace hotlap::cli {
namespace {

namespace fs = std::filesystem;
using capture::Setting;
using Json = nlohmann::ordered_json;
using Outcome = PreparedSetting::Outcome;

constexpr int kSchemaVersion = 1;

const char* outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPlanned:
      return "planned";
    case Outcome::kDone:
      return "done";
    case Outcome::kAlready:
      return "already";
    case Outcome::kLeft:
      return "left";
    case Outcome::kFailed:
      break;
  }
  return "failed";
}

Setting reversed(const Setting& setting) {
  Setting back = setting;
  std::swap(back.found, back.wanted);
  back.effect = "as before";
  return back;
}

// Governors have a file a CPU, and one line for all that change alike.
std::string group_key(const PreparedSetting& one) {
  if (one.change.name != "governor")
    return absl::StrCat(one.change.path, outcome_name(one.outcome));
  return absl::StrCat("governor ", one.change.found, " ", one.change.wanted, " ",
                      outcome_name(one.outcome), " ", one.reason);
}

}  // namespace

bool Preparation::failed() const {
  return std::any_of(settings.begin(), settings.end(),
                     [](const auto& one) { return one.outcome == Outcome::kFailed; });
}

std::string MachinePreparation::boot() const {
  const std::string path = "/proc/sys/kernel/random/boot_id";
  std::ifstream file(root_ == "/" ? path : root_ + path);
  std::string id;
  file >> id;
  return id;
}

absl::StatusOr<std::vector<Setting>> MachinePreparation::read_state(std::string& boot) const {
  std::error_code error;
  if (!fs::exists(state_file_, error)) return std::vector<Setting>();
  const auto text = capture::read_whole_file(state_file_.string());
  const Json state = Json::parse(text.value_or(""), nullptr, false);
  const auto bad = [this](const char* why) {
    return absl::DataLossError(absl::StrCat(state_file_.string(), " ", why,
                                            ": what doctor --fix changed is not known; look at it, "
                                            "set things right by hand, and remove it"));
  };
  if (!text) return bad("cannot be read");
  if (!state.is_object() || !state.contains("settings") || !state["settings"].is_array()) {
    return bad("is no state that hotlap wrote");
  }
  if (state.value("schema", 0) != kSchemaVersion) return bad("is of another version of hotlap");
  boot = state.value("boot", "");
  std::vector<Setting> changed;
  for (const Json& one : state["settings"]) {
    Setting setting;
    for (const auto& [key, field] : {std::pair<const char*, std::string*>{"name", &setting.name},
                                     {"path", &setting.path},
                                     {"before", &setting.found},
                                     {"now", &setting.wanted}}) {
      if (!one.is_object() || !one.contains(key) || !one[key].is_string()) {
        return bad("lacks a field");
      }
      *field = one[key].get<std::string>();
    }
    changed.push_back(setting);
  }
  return changed;
}

absl::Status MachinePreparation::write_state(const std::vector<Setting>& changed) const {
  std::error_code error;
  if (changed.empty()) {
    fs::remove(state_file_, error);
    if (!error) return absl::OkStatus();
    return absl::InternalError(
        absl::StrCat("cannot remove ", state_file_.string(), ": ", error.message()));
  }
  fs::create_directories(state_file_.parent_path(), error);
  Json state = {{"schema", kSchemaVersion}, {"boot", boot()}, {"settings", Json::array()}};
  for (const Setting& one : changed) {
    state["settings"].push_back(
        {{"name", one.name}, {"path", one.path}, {"before", one.found}, {"now", one.wanted}});
  }
  return record::replace_file(state_file_, state.dump(2) + "\n");
}

absl::StatusOr<Preparation> MachinePreparation::fix(bool dry_run) {
  std::string then;
  auto changed = read_state(then);
  if (!changed.ok()) return changed.status();
  if (then != boot()) changed->clear();  // of another boot: the kernel has forgotten them
  Preparation preparation;
  const std::vector<Setting> unfit = capture::unfit_settings(root_);
  if (unfit.empty())
    preparation.note = "every setting that can be changed safely is as it should be";
  for (const Setting& setting : unfit) preparation.settings.push_back({setting, {}, {}});
  if (dry_run || unfit.empty()) return preparation;
  // Before the first change: what is in the file and was not made yet is found to be as before.
  for (const Setting& setting : unfit) {
    const auto known = std::find_if(changed->begin(), changed->end(),
                                    [&](const Setting& one) { return one.path == setting.path; });
    if (known == changed->end()) {
      changed->push_back(setting);
    } else {
      known->wanted = setting.wanted;  // changed away since: what it was at first still counts
    }
  }
  const absl::Status kept = write_state(*changed);
  if (!kept.ok()) return kept;
  for (PreparedSetting& one : preparation.settings) {
    const absl::Status done = capture::apply_setting(root_, one.change);
    one.outcome = done.ok() ? Outcome::kDone : Outcome::kFailed;
    one.reason = std::string(done.message());
  }
  return preparation;
}

PreparedSetting MachinePreparation::undo(const Setting& changed, bool dry_run) const {
  PreparedSetting one{reversed(changed), Outcome::kPlanned, {}};
  const auto now = capture::read_setting(root_, changed);
  if (!now.ok()) {
    one.outcome = Outcome::kFailed;
    one.reason = std::string(now.status().message());
  } else if (*now == changed.found) {
    one.outcome = Outcome::kAlready;
    one.reason = absl::StrCat("is ", *now, " already");
  } else if (*now != changed.wanted) {
    one.outcome = Outcome::kLeft;
    one.reason = absl::StrCat("is ", *now, " now, which is not what hotlap set: left as it is");
  } else if (!dry_run) {
    const absl::Status done = capture::apply_setting(root_, one.change);
    one.outcome = done.ok() ? Outcome::kDone : Outcome::kFailed;
    one.reason = std::string(done.message());
  }
  return one;
}

absl::StatusOr<Preparation> MachinePreparation::restore(bool dry_run) {
  std::string then;
  auto changed = read_state(then);
  if (!changed.ok()) return changed.status();
  Preparation preparation;
  std::vector<Setting> left;
  if (changed->empty()) {
    preparation.note = absl::StrCat("nothing to restore: there is no ", state_file_.string());
    return preparation;
  }
  if (then != boot()) {
    preparation.note =
        "nothing to restore: the machine was started anew since --fix, and its "
        "settings with it";
  } else {
    // The last change is taken back first.
    for (auto one = changed->rbegin(); one != changed->rend(); ++one) {
      preparation.settings.push_back(undo(*one, dry_run));
      if (preparation.settings.back().outcome == Outcome::kFailed) left.push_back(*one);
    }
  }
  if (dry_run) return preparation;
  std::reverse(left.begin(), left.end());
  const absl::Status written = write_state(left);
  if (!written.ok()) return written;
  return preparation;
}

fs::path machine_state_file(const std::function<const char*(const char*)>& variable, bool is_root) {
  const auto set = [&variable](const char* name) {
    const char* value = variable(name);
    return value != nullptr && value[0] == '/' ? std::string(value) : std::string();
  };
  const std::string state = set("XDG_STATE_HOME");
  const std::string home = set("HOME");
  const std::string directory = !state.empty()            ? state
                                : is_root || home.empty() ? "/var/lib"
                                                          : home + "/.local/state";
  return fs::path(directory) / "hotlap" / "machine.json";
}

std::string preparation_text(const Preparation& preparation, bool is_root) {
  std::string text;
  std::map<std::string, size_t> count;
  for (const PreparedSetting& one : preparation.settings) ++count[group_key(one)];
  for (const PreparedSetting& one : preparation.settings) {
    const auto found = count.find(group_key(one));
    if (found == count.end()) continue;  // shown with the first of its group
    const size_t alike = found->second;
    count.erase(found);
    std::string command = capture::command_of(one.change);
    if (alike > 1) {
      command = absl::StrCat("echo ", one.change.wanted,
                             " | tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor   # ",
                             alike, " CPUs");
    }
    absl::StrAppendFormat(&text, "%-8s%-22s %s -> %s\n", outcome_name(one.outcome), one.change.name,
                          one.change.found, one.change.wanted);
    absl::StrAppendFormat(&text, "        %s\n", command);
    absl::StrAppendFormat(&text, "        %s\n",
                          one.reason.empty() ? one.change.effect : one.reason);
  }
  if (!preparation.note.empty()) absl::StrAppend(&text, preparation.note, "\n");
  if (!is_root && !preparation.settings.empty()) {
    absl::StrAppend(&text,
                    "\nthese changes take root: run the commands as root, or hotlap itself\n");
  }
  return text;
}

std::string preparation_json(const Preparation& preparation, const fs::path& state_file) {
  Json object = {{"schema", kSchemaVersion},
                 {"state_file", state_file.string()},
                 {"settings", Json::array()},
                 {"note", preparation.note}};
  for (const PreparedSetting& one : preparation.settings) {
    object["settings"].push_back({{"name", one.change.name},
                                  {"path", one.change.path},
                                  {"before", one.change.found},
                                  {"after", one.change.wanted},
                                  {"command", capture::command_of(one.change)},
                                  {"effect", one.change.effect},
                                  {"outcome", outcome_name(one.outcome)},
                                  {"reason", one.reason}});
  }
  return object.dump(2) + "\n";
}

}  // namespace hotlap::cli
