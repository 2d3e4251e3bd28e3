// See spawner.h.
#include "harness/targets/spawner.h"

#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "harness/targets/listeners.h"
#include "harness/targets/placement.h"
#include "harness/targets/readiness.h"
#include "harness/targets/watched_process.h"
#include "harness/targets/watcher.h"

extern char** environ;

namespace hotlap::targets {
namespace {

// Whether PID namespaces are allowed, by asking the launcher to try one.
absl::Status probe_namespace(const std::string& launcher) {
  std::string program = launcher;
  std::string flag = "--probe";
  char* const argv[] = {program.data(), flag.data(), nullptr};
  pid_t pid = 0;
  const int error = posix_spawn(&pid, program.c_str(), nullptr, nullptr, argv, environ);
  if (error != 0) {
    return absl::NotFoundError(absl::StrCat("cannot run ", launcher, ": ", strerror(error),
                                            "; it is built beside the other binaries"));
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (status == 0) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("PID namespaces are not allowed (",
                   WIFEXITED(status) ? strerror(WEXITSTATUS(status)) : "the launcher died",
                   "): run as root, or `sysctl kernel.unprivileged_userns_clone=1`"));
}

// Of the launcher; what is meant for the target alone goes by --env.
std::vector<std::string> launcher_environment() {
  std::vector<std::string> own;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view entry(*at);
    const std::string_view name = entry.substr(0, entry.find('='));
    if (name != "HOTLAP_PADDING") own.emplace_back(entry);
  }
  return own;
}

std::vector<std::string> launcher_argv(const std::string& launcher, bool pid_namespace,
                                       const LaunchOptions& options,
                                       const std::vector<std::string>& target) {
  std::vector<std::string> argv = {launcher, pid_namespace ? "--namespace" : "--subreaper"};
  if (!options.cpus.empty()) {
    std::string list;
    for (const int cpu : options.cpus) absl::StrAppend(&list, list.empty() ? "" : ",", cpu);
    argv.insert(argv.end(), {"--cpus", list});
  }
  if (options.padding_bytes > 0) {
    argv.insert(argv.end(), {"--padding", absl::StrCat(options.padding_bytes)});
  }
  if (options.traceable) argv.emplace_back("--traceable");
  for (const auto& [name, value] : options.environment) {
    argv.insert(argv.end(), {"--env", absl::StrCat(name, "=", value)});
  }
  argv.emplace_back("--");
  argv.insert(argv.end(), options.wrapper.begin(), options.wrapper.end());
  argv.insert(argv.end(), target.begin(), target.end());
  return argv;
}

absl::Status with_name(const std::string& who, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(who, ": ", std::string(status.message())));
}

// Program and port are settled, nothing runs yet.
absl::StatusOr<Awaited> settle(const TargetSpec& spec, const LaunchOptions& options) {
  Awaited awaited;
  awaited.spec = spec;
  awaited.who = options.arm.empty() ? describe(spec)
                                    : absl::StrCat("arm ", options.arm, ", ", describe(spec));
  awaited.timeout = options.start_timeout;
  std::string directory = options.bin_directory;
  if (directory.empty()) {
    auto own = own_bin_directory();
    if (!own.ok()) return own.status();
    directory = *own;
  }
  awaited.program = options.program;
  if (awaited.program.empty() || !announces_itself(spec.kind)) {
    auto found = find_program(spec, directory);
    if (!found.ok()) return with_name(awaited.who, found.status());
    awaited.program = *found;
  }
  if (spec.kind != TargetKind::kCommand) return awaited;
  awaited.port = options.port;
  if (awaited.port == 0) {
    const auto picked = pick_free_port();
    if (!picked.ok()) return with_name(awaited.who, picked.status());
    awaited.port = *picked;
  }
  const absl::Status port_free = check_port_free(awaited.port);
  if (!port_free.ok()) return with_name(awaited.who, port_free);
  return awaited;
}

// Ends the target unless it is handed on: a failed launch leaves nothing behind.
class EndUnlessKept {
 public:
  explicit EndUnlessKept(std::shared_ptr<WatchedProcess> process) : process_(std::move(process)) {}
  ~EndUnlessKept() {
    if (process_ == nullptr) return;
    end_tree(*process_);
  }
  EndUnlessKept(const EndUnlessKept&) = delete;
  EndUnlessKept& operator=(const EndUnlessKept&) = delete;
  void keep() { process_ = nullptr; }

 private:
  std::shared_ptr<WatchedProcess> process_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Spawner>> Spawner::create(SpawnerOptions options) {
  std::unique_ptr<Spawner> spawner(new Spawner);  // the constructor is private
  if (options.launcher.empty()) {
    const auto own = own_bin_directory();
    if (!own.ok()) return own.status();
    options.launcher = absl::StrCat(*own, "/hotlap-launch");
  }
  if (access(options.launcher.c_str(), X_OK) != 0) {
    return absl::NotFoundError(absl::StrCat("no launcher at ", options.launcher, ": ",
                                            strerror(errno),
                                            "; it is built beside the other binaries"));
  }
  spawner->pid_namespace_status_ =
      options.allow_pid_namespace
          ? probe_namespace(options.launcher)
          : absl::FailedPreconditionError("PID namespaces were switched off for this agent");
  auto watcher = Watcher::create(options.watcher_cpus);
  if (!watcher.ok()) return watcher.status();
  spawner->watcher_ = *std::move(watcher);
  spawner->options_ = std::move(options);
  return spawner;
}

Spawner::~Spawner() = default;

void Spawner::end_all() { watcher_->stop(); }

absl::StatusOr<std::unique_ptr<TargetProcess>> Spawner::launch(const TargetSpec& spec,
                                                               const LaunchOptions& options) {
  if (spec.kind == TargetKind::kUrl) {
    const auto endpoint = parse_url(spec.value);
    if (!endpoint.ok()) return endpoint.status();
    return std::make_unique<TargetProcess>(spec, options.arm, *endpoint, "", "", nullptr);
  }
  auto awaited = settle(spec, options);
  if (!awaited.ok()) return awaited.status();
  const auto argv = build_argv(spec, awaited->program, awaited->port);
  if (!argv.ok()) return with_name(awaited->who, argv.status());

  SpawnRequest request;
  request.pid_namespace = pid_namespace_status_.ok();
  request.argv = launcher_argv(options_.launcher, request.pid_namespace, options, *argv);
  request.environment = launcher_environment();
  auto process = watcher_->spawn(std::move(request));
  if (!process.ok()) return with_name(awaited->who, process.status());
  EndUnlessKept end_unless_kept(*process);

  awaited->deadline = absl::Now() + options.start_timeout;
  const auto pid = await_stopped(*awaited, **process);
  if (!pid.ok()) return pid.status();
  if (options.before_exec) {
    const absl::Status opened = options.before_exec(*pid);
    if (!opened.ok()) return with_name(awaited->who, opened);
  }
  const absl::Status told = (*process)->go();
  if (!told.ok()) return with_name(awaited->who, told);
  const auto ready = await_listening(*awaited, **process);
  if (!ready.ok()) return ready.status();
  end_unless_kept.keep();
  return std::make_unique<TargetProcess>(spec, options.arm, ready->endpoint, ready->echo,
                                         awaited->program, *process);
}

absl::StatusOr<std::unique_ptr<TargetProcess>> Spawner::launch_companion(
    const CompanionOptions& options) {
  SpawnRequest request;
  LaunchOptions own;
  own.cpus = options.cpus;
  // Both streams in one, in the order in which it wrote.
  request.argv =
      launcher_argv(options_.launcher, false, own, {"/bin/sh", "-c", "exec \"$@\" 2>&1"});
  request.argv.push_back("sh");
  request.argv.insert(request.argv.end(), options.argv.begin(), options.argv.end());
  request.environment = launcher_environment();
  auto process = watcher_->spawn(std::move(request));
  if (!process.ok()) return with_name(options.name, process.status());
  EndUnlessKept end_unless_kept(*process);
  const auto ready = await_companion(options, **process);
  if (!ready.ok()) return ready;
  end_unless_kept.keep();
  const TargetSpec spec{TargetKind::kCommand, options.name};
  return std::make_unique<TargetProcess>(spec, "", Endpoint(), "", options.argv.front(), *process);
}

}  // namespace hotlap::targets
