// See target_process.h.
#include "harness/targets/target_process.h"

#include <signal.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "harness/targets/readiness.h"
#include "harness/targets/watched_process.h"

namespace hotlap::targets {

TargetProcess::TargetProcess(TargetSpec spec, std::string arm, Endpoint endpoint, std::string echo,
                             std::string program, std::shared_ptr<WatchedProcess> process)
    : spec_(std::move(spec)),
      arm_(std::move(arm)),
      endpoint_(std::move(endpoint)),
      echo_(std::move(echo)),
      program_(std::move(program)),
      process_(std::move(process)) {}

TargetProcess::~TargetProcess() {
  if (process_ != nullptr) end_tree(*process_);
}

pid_t TargetProcess::pid() const { return process_ == nullptr ? 0 : process_->state().root_pid; }

std::vector<pid_t> TargetProcess::tree() const {
  if (process_ == nullptr) return {};
  return process_->tree();
}

bool TargetProcess::alive() const { return process_ == nullptr || process_->alive(); }

absl::Status TargetProcess::status() const {
  if (alive()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(arm_.empty() ? "" : absl::StrCat("arm ", arm_, ", "), describe(spec_), " ",
                   describe_end(*process_)));
}

bool TargetProcess::await_end(absl::Duration patience) const {
  if (process_ == nullptr) return false;
  return process_->await(
      [](const WatchedProcess::State& state) { return state.root_status || state.gone; },
      absl::Now() + patience);
}

int TargetProcess::exit_fd() const { return process_ == nullptr ? -1 : process_->root_pidfd(); }

std::string TargetProcess::output_tail() const {
  return process_ == nullptr ? "" : process_->output_tail();
}

std::string TargetProcess::stop(absl::Duration grace) {
  if (process_ == nullptr) return "was not started here";
  process_->signal_root(SIGTERM);
  process_->await([](const WatchedProcess::State& state) { return state.gone; },
                  absl::Now() + grace);
  end_tree(*process_);
  return describe_wait_status(process_->state().root_status.value_or(0));
}

}  // namespace hotlap::targets
