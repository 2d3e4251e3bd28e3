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

std::string OutputNote(const WatchedProcess& process) {
  std::string tail = process.output_tail();
  while (!tail.empty() && (tail.back() == '\n' || tail.back() == ' ')) tail.pop_back();
  return tail.empty() ? "; it printed nothing" : absl::StrCat("; its last output:\n", tail);
}

// As much of a line as a message bears.
std::string Shown(const std::string& line) {
  constexpr size_t kMost = 120;
  return line.size() <= kMost ? line : absl::StrCat(line.substr(0, kMost), "…");
}

bool Ended(const WatchedProcess::State& state) {
  if (state.failure || state.gone) return true;
  return state.root_status && *state.root_status != 0;  // one that ended with 0 may be a daemon
}

absl::Status SetupError(const Awaited& awaited, const LaunchMessage& failure) {
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

absl::Status EndedError(const Awaited& awaited, const WatchedProcess& process) {
  const WatchedProcess::State state = process.state();
  if (state.failure && state.failure->kind == LaunchMessageKind::kExecFailed) {
    return absl::NotFoundError(absl::StrCat(awaited.who, ": cannot run ", awaited.program, ": ",
                                            strerror(state.failure->value),
                                            "; check the path and its permissions"));
  }
  if (state.failure) return SetupError(awaited, *state.failure);
  const int status = state.root_status.value_or(0);
  const bool shell_found_nothing = awaited.spec.kind == TargetKind::kCommand && WIFEXITED(status) &&
                                   (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127);
  if (shell_found_nothing) {
    return absl::NotFoundError(
        absl::StrCat(awaited.who, ": the shell found no such program or may not run it (code ",
                     WEXITSTATUS(status), "); check the path", OutputNote(process)));
  }
  return absl::FailedPreconditionError(
      absl::StrCat(awaited.who, " ", DescribeWaitStatus(status), " before it listened",
                   awaited.port != 0 ? absl::StrCat(" on port ", awaited.port) : "",
                   "; run it by hand to see why", OutputNote(process)));
}

std::string TimedOut(const Awaited& awaited) {
  return absl::StrCat(awaited.who, " did not listen within ",
                      absl::FormatDuration(awaited.timeout));
}

absl::StatusOr<Ready> AwaitAnnouncement(const Awaited& awaited, const WatchedProcess& process) {
  const bool pipeline = awaited.spec.kind == TargetKind::kPipeline;
  const size_t lines_needed = pipeline ? 2 : 1;
  const auto garbled = [](const WatchedProcess::State& state) {
    return !state.lines.empty() && !state.lines[0].starts_with(kListening);
  };
  const auto settled = [&](const WatchedProcess::State& state) {
    return state.lines.size() >= lines_needed || garbled(state) || state.root_status ||
           Ended(state);
  };
  const bool in_time = process.Await(settled, awaited.deadline);
  if (in_time && garbled(process.state())) {
    // Last words, perhaps: then its end explains more than its first line does.
    const auto ended = [](const WatchedProcess::State& state) {
      return state.root_status.has_value() || Ended(state);
    };
    process.Await(ended, std::min(awaited.deadline, absl::Now() + kLastWords));
  }
  const WatchedProcess::State state = process.state();
  if (state.root_status || (state.lines.size() < lines_needed && !garbled(state))) {
    if (in_time) return EndedError(awaited, process);
    return absl::DeadlineExceededError(
        absl::StrCat(TimedOut(awaited), ": it has not printed `listening on HOST:PORT`",
                     pipeline ? " and then `pipeline …`" : "", OutputNote(process)));
  }
  const std::string& first = state.lines[0];
  if (garbled(state)) {
    return absl::FailedPreconditionError(absl::StrCat(
        awaited.who, " printed \"", Shown(state.lines[0]),
        "\" where `listening on HOST:PORT` was due: is it the program of this build?"));
  }
  const auto endpoint = ParseEndpoint(std::string_view(first).substr(kListening.size()));
  if (!endpoint.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat(awaited.who, ": ", std::string(endpoint.status().message())));
  }
  if (!pipeline) return Ready{*endpoint, {}};
  if (!state.lines[1].starts_with(kPipeline)) {
    return absl::FailedPreconditionError(
        absl::StrCat(awaited.who, " printed \"", Shown(state.lines[1]),
                     "\" where its pipeline was due: is it the program of this build?"));
  }
  return Ready{*endpoint, state.lines[1].substr(kPipeline.size())};
}

bool Connects(const Endpoint& endpoint) {
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
Endpoint PreferIpv4(const Listener& listener) {
  if (listener.endpoint.host != "::") return ReachableAt(listener);
  const Endpoint four{"127.0.0.1", listener.endpoint.port};
  return Connects(four) ? four : ReachableAt(listener);
}

bool IsLoopbackOrAll(const std::string& host) {
  return host == "0.0.0.0" || host == "::" || host == "::1" || host.starts_with("127.") ||
         host.starts_with("::ffff:127.");
}

std::string ElsewhereNote(const std::vector<Listener>& held) {
  std::vector<std::string> places;
  for (const Listener& listener : held) places.push_back(listener.endpoint.ToString());
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return absl::StrJoin(places, ", ");
}

absl::Status NeverListened(const Awaited& awaited, const WatchedProcess& process,
                           const std::vector<Listener>& held) {
  if (!held.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        awaited.who, " listens on ", ElsewhereNote(held), " and not on port ", awaited.port,
        " of 127.0.0.1 or ::1, to which {port} was set; put {port} where the command takes its "
        "port",
        OutputNote(process)));
  }
  for (const Listener& listener : ReadListeners()) {
    if (listener.endpoint.port != awaited.port) continue;
    return absl::FailedPreconditionError(
        absl::StrCat(awaited.who, ": port ", awaited.port,
                     " is taken by a process that is not "
                     "the target's; try again, or choose another port",
                     OutputNote(process)));
  }
  return absl::DeadlineExceededError(
      absl::StrCat(TimedOut(awaited), " on port ", awaited.port,
                   "; does it need longer, or does it ignore {port}?", OutputNote(process)));
}

absl::StatusOr<Ready> AwaitCommand(const Awaited& awaited, const WatchedProcess& process) {
  absl::Duration pace = absl::Milliseconds(1);
  std::vector<Listener> held;
  while (true) {
    held = HeldBy(process.Tree(), ReadListeners());
    for (const Listener& listener : held) {
      if (listener.endpoint.port == awaited.port && IsLoopbackOrAll(listener.endpoint.host)) {
        return Ready{PreferIpv4(listener), {}};
      }
    }
    const absl::Time now = absl::Now();
    if (process.Await(Ended, std::min(now + pace, awaited.deadline))) {
      return EndedError(awaited, process);
    }
    if (now >= awaited.deadline) return NeverListened(awaited, process, held);
    pace = std::min(pace * 2, absl::Milliseconds(20));
  }
}

}  // namespace

absl::StatusOr<pid_t> AwaitStopped(const Awaited& awaited, const WatchedProcess& process) {
  const bool in_time = process.Await(
      [](const WatchedProcess::State& state) { return state.root_pid != 0 || Ended(state); },
      awaited.deadline);
  const WatchedProcess::State state = process.state();
  if (state.root_pid != 0) return state.root_pid;
  if (in_time && state.failure) return SetupError(awaited, *state.failure);
  return absl::InternalError(absl::StrCat(awaited.who,
                                          ": hotlap-launch did not get to the point of starting it",
                                          in_time ? "" : " in time", OutputNote(process)));
}

absl::StatusOr<Ready> AwaitListening(const Awaited& awaited, const WatchedProcess& process) {
  return AnnouncesItself(awaited.spec.kind) ? AwaitAnnouncement(awaited, process)
                                            : AwaitCommand(awaited, process);
}

std::string DescribeEnd(const WatchedProcess& process) {
  const WatchedProcess::State state = process.state();
  return absl::StrCat(DescribeWaitStatus(state.root_status.value_or(0)), OutputNote(process));
}

}  // namespace hotlap::targets
