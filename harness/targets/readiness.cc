// See readiness.h.
#include "harness/targets/readiness.h"

#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "harness/capture/unique_fd.h"
#include "harness/targets/listeners.h"

namespace hotlap::targets {
namespace {

constexpr std::string_view kListening = "listening on ";
constexpr std::string_view kPipeline = "pipeline ";
constexpr absl::Duration kLastWords = absl::Seconds(1);

std::string output_note(const WatchedProcess& process) {
  std::string tail = process.output_tail();
  while (!tail.empty() && (tail.back() == '\n' || tail.back() == ' ')) tail.pop_back();
  return tail.empty() ? "; it printed nothing" : absl::StrCat("; its last output:\n", tail);
}

// As much of a line as a message bears.
std::string shown(const std::string& line) {
  constexpr size_t kMost = 120;
  return line.size() <= kMost ? line : absl::StrCat(line.substr(0, kMost), "…");
}

bool has_ended(const WatchedProcess::State& state) {
  if (state.failure || state.gone) return true;
  return state.root_status && *state.root_status != 0;  // one that ended with 0 may be a daemon
}

absl::Status setup_error(const Awaited& awaited, const LaunchMessage& failure) {
  std::string what;
  switch (failure.step) {
    case LaunchStep::kAffinity:
      what = "cannot be put on the CPUs asked for; `hotlap doctor` lists those that are allowed";
      break;
    case LaunchStep::kNamespace:
      what = "cannot get a PID namespace";
      break;
    case LaunchStep::kFork:
      what = "cannot be forked; look at `ulimit -u` and free memory";
      break;
    case LaunchStep::kParentDeathSignal:
    case LaunchStep::kNone:
      what = "cannot be tied to the life of the agent";
      break;
  }
  return absl::ErrnoToStatus(failure.value, absl::StrCat(awaited.who, " ", what));
}

absl::Status ended_error(const Awaited& awaited, const WatchedProcess& process) {
  const WatchedProcess::State state = process.state();
  if (state.failure && state.failure->kind == LaunchMessageKind::kExecFailed) {
    return absl::NotFoundError(absl::StrCat(awaited.who, ": cannot run ", awaited.program, ": ",
                                            strerror(state.failure->value),
                                            "; check the path and its permissions"));
  }
  if (state.failure) return setup_error(awaited, *state.failure);
  const int status = state.root_status.value_or(0);
  const bool shell_found_nothing = awaited.spec.kind == TargetKind::kCommand && WIFEXITED(status) &&
                                   (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127);
  if (shell_found_nothing) {
    return absl::NotFoundError(
        absl::StrCat(awaited.who, ": the shell found no such program or may not run it (code ",
                     WEXITSTATUS(status), "); check the path", output_note(process)));
  }
  return absl::FailedPreconditionError(
      absl::StrCat(awaited.who, " ", describe_wait_status(status), " before it listened",
                   awaited.port != 0 ? absl::StrCat(" on port ", awaited.port) : "",
                   "; run it by hand to see why", output_note(process)));
}

std::string timed_out(const Awaited& awaited) {
  return absl::StrCat(awaited.who, " did not listen within ",
                      absl::FormatDuration(awaited.timeout));
}

absl::StatusOr<Ready> await_announcement(const Awaited& awaited, const WatchedProcess& process) {
  const bool pipeline = awaited.spec.kind == TargetKind::kPipeline;
  const size_t lines_needed = pipeline ? 2 : 1;
  const auto garbled = [](const WatchedProcess::State& state) {
    return !state.lines.empty() && !state.lines[0].starts_with(kListening);
  };
  const auto settled = [&](const WatchedProcess::State& state) {
    return state.lines.size() >= lines_needed || garbled(state) || state.root_status ||
           has_ended(state);
  };
  const bool in_time = process.await(settled, awaited.deadline);
  if (in_time && garbled(process.state())) {
    // Last words, perhaps: then its end explains more than its first line does.
    const auto ended = [](const WatchedProcess::State& state) {
      return state.root_status.has_value() || has_ended(state);
    };
    process.await(ended, std::min(awaited.deadline, absl::Now() + kLastWords));
  }
  const WatchedProcess::State state = process.state();
  if (state.root_status || (state.lines.size() < lines_needed && !garbled(state))) {
    if (in_time) return ended_error(awaited, process);
    return absl::DeadlineExceededError(
        absl::StrCat(timed_out(awaited), ": it has not printed `listening on HOST:PORT`",
                     pipeline ? " and then `pipeline …`" : "", output_note(process)));
  }
  const std::string& first = state.lines[0];
  if (garbled(state)) {
    return absl::FailedPreconditionError(absl::StrCat(
        awaited.who, " printed \"", shown(state.lines[0]),
        "\" where `listening on HOST:PORT` was due: is it the program of this build?"));
  }
  const auto endpoint = parse_endpoint(std::string_view(first).substr(kListening.size()));
  if (!endpoint.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat(awaited.who, ": ", std::string(endpoint.status().message())));
  }
  if (!pipeline) return Ready{*endpoint, {}};
  if (!state.lines[1].starts_with(kPipeline)) {
    return absl::FailedPreconditionError(
        absl::StrCat(awaited.who, " printed \"", shown(state.lines[1]),
                     "\" where its pipeline was due: is it the program of this build?"));
  }
  return Ready{*endpoint, state.lines[1].substr(kPipeline.size())};
}

bool connects(const Endpoint& endpoint) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string port = absl::StrCat(endpoint.port);
  if (getaddrinfo(endpoint.host.c_str(), port.c_str(), &hints, &found) != 0) return false;
  const capture::UniqueFd fd(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const bool connected = fd.valid() && connect(fd.get(), found->ai_addr, found->ai_addrlen) == 0;
  freeaddrinfo(found);
  return connected;
}

// A socket bound to all IPv6 addresses serves IPv4 too, unless it was told not to: only trying
// tells, so this one case costs the target a connection.
Endpoint prefer_ipv4(const Listener& listener) {
  if (listener.endpoint.host != "::") return reachable_at(listener);
  const Endpoint four{"127.0.0.1", listener.endpoint.port};
  return connects(four) ? four : reachable_at(listener);
}

bool is_loopback_or_all(const std::string& host) {
  return host == "0.0.0.0" || host == "::" || host == "::1" || host.starts_with("127.") ||
         host.starts_with("::ffff:127.");
}

std::string elsewhere_note(const std::vector<Listener>& held) {
  std::vector<std::string> places;
  for (const Listener& listener : held) places.push_back(listener.endpoint.to_string());
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return absl::StrJoin(places, ", ");
}

absl::Status never_listened(const Awaited& awaited, const WatchedProcess& process,
                            const std::vector<Listener>& held) {
  if (!held.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        awaited.who, " listens on ", elsewhere_note(held), " and not on port ", awaited.port,
        " of 127.0.0.1 or ::1, to which {port} was set; put {port} where the command takes its "
        "port",
        output_note(process)));
  }
  for (const Listener& listener : read_listeners()) {
    if (listener.endpoint.port != awaited.port) continue;
    return absl::FailedPreconditionError(
        absl::StrCat(awaited.who, ": port ", awaited.port,
                     " is taken by a process that is not "
                     "the target's; try again, or choose another port",
                     output_note(process)));
  }
  return absl::DeadlineExceededError(
      absl::StrCat(timed_out(awaited), " on port ", awaited.port,
                   "; does it need longer, or does it ignore {port}?", output_note(process)));
}

absl::StatusOr<Ready> await_command(const Awaited& awaited, const WatchedProcess& process) {
  absl::Duration pace = absl::Milliseconds(1);
  std::vector<Listener> held;
  while (true) {
    held = held_by(process.tree(), read_listeners());
    for (const Listener& listener : held) {
      if (listener.endpoint.port == awaited.port && is_loopback_or_all(listener.endpoint.host)) {
        return Ready{prefer_ipv4(listener), {}};
      }
    }
    const absl::Time now = absl::Now();
    if (process.await(has_ended, std::min(now + pace, awaited.deadline))) {
      return ended_error(awaited, process);
    }
    if (now >= awaited.deadline) return never_listened(awaited, process, held);
    pace = std::min(pace * 2, absl::Milliseconds(20));
  }
}

}  // namespace

absl::StatusOr<pid_t> await_stopped(const Awaited& awaited, const WatchedProcess& process) {
  const bool in_time = process.await(
      [](const WatchedProcess::State& state) { return state.root_pid != 0 || has_ended(state); },
      awaited.deadline);
  const WatchedProcess::State state = process.state();
  if (state.root_pid != 0) return state.root_pid;
  if (in_time && state.failure) return setup_error(awaited, *state.failure);
  return absl::InternalError(absl::StrCat(awaited.who,
                                          ": hotlap-launch did not get to the point of starting it",
                                          in_time ? "" : " in time", output_note(process)));
}

absl::StatusOr<Ready> await_listening(const Awaited& awaited, const WatchedProcess& process) {
  return announces_itself(awaited.spec.kind) ? await_announcement(awaited, process)
                                             : await_command(awaited, process);
}

absl::Status await_companion(const CompanionOptions& options, WatchedProcess& process) {
  Awaited awaited;
  awaited.spec = {TargetKind::kCommand, options.name};
  awaited.who = options.name;
  awaited.timeout = options.timeout;
  awaited.deadline = absl::Now() + options.timeout;
  const auto pid = await_stopped(awaited, process);
  if (!pid.ok()) return pid.status();
  const absl::Status told = process.go();
  if (!told.ok() || !options.is_ready) return told;
  const bool spoke = process.await(
      [](const WatchedProcess::State& state) { return !state.lines.empty() || has_ended(state); },
      awaited.deadline);
  const WatchedProcess::State state = process.state();
  if (!state.lines.empty() && options.is_ready(state.lines.front())) return absl::OkStatus();
  if (!spoke) {
    return absl::DeadlineExceededError(absl::StrCat(options.name, " was not ready within ",
                                                    absl::FormatDuration(options.timeout)));
  }
  // Its end explains more than its first line.
  process.await(has_ended, std::min(awaited.deadline, absl::Now() + kLastWords));
  constexpr int kNoSuchProgram = 127;  // of the shell
  const int status = process.state().root_status.value_or(0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoSuchProgram) {
    return absl::NotFoundError(absl::StrCat(options.name, " cannot be run: there is no ",
                                            options.argv.front(), " in PATH"));
  }
  return absl::FailedPreconditionError(absl::StrCat(options.name, " ", describe_end(process)));
}

std::string describe_end(const WatchedProcess& process) {
  const WatchedProcess::State state = process.state();
  return absl::StrCat(describe_wait_status(state.root_status.value_or(0)), output_note(process));
}

}  // namespace hotlap::targets
