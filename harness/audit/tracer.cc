// See tracer.h.
#include "harness/audit/tracer.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace hotlap::audit {

const char* tracer_name(TracerKind kind) {
  return kind == TracerKind::kStrace ? "strace" : "tracepoints";
}

absl::StatusOr<std::optional<TracerKind>> tracer_of(const std::string& name) {
  if (name.empty()) return std::nullopt;
  for (const TracerKind kind : {TracerKind::kStrace, TracerKind::kTracepoints}) {
    if (name == tracer_name(kind)) return kind;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the tracer \"", name, "\" is neither strace nor tracepoints"));
}

absl::StatusOr<ChosenTracer> choose_tracer(std::optional<TracerKind> forced,
                                           const std::function<absl::Status(TracerKind)>& attach) {
  ChosenTracer chosen{forced.value_or(TracerKind::kStrace), ""};
  const absl::Status first = attach(chosen.kind);
  if (first.ok()) return chosen;
  if (forced || (!absl::IsNotFound(first) && !absl::IsPermissionDenied(first))) return first;
  chosen = {TracerKind::kTracepoints, std::string(first.message())};
  const absl::Status second = attach(chosen.kind);
  if (second.ok()) return chosen;
  return absl::FailedPreconditionError(absl::StrCat(
      chosen.no_strace, "; nor are there tracepoints: ", std::string(second.message())));
}

absl::StatusOr<std::unique_ptr<Tracer>> Tracer::attach(targets::Spawner& spawner, pid_t task,
                                                       const std::string& file,
                                                       std::optional<TracerKind> forced) {
  auto tracer = std::make_unique<Tracer>();
  auto chosen = choose_tracer(forced, [&](TracerKind kind) -> absl::Status {
    if (kind == TracerKind::kStrace) {
      auto strace = Strace::attach(spawner, task, file);
      if (!strace.ok()) return strace.status();
      tracer->strace_ = *std::move(strace);
      return absl::OkStatus();
    }
    auto tracepoints = TracepointRecord::attach(spawner, task, file);
    if (!tracepoints.ok()) return tracepoints.status();
    tracer->tracepoints_ = *std::move(tracepoints);
    return absl::OkStatus();
  });
  if (!chosen.ok()) return chosen.status();
  tracer->chosen_ = *std::move(chosen);
  return tracer;
}

clockid_t Tracer::clock() const {
  return kind() == TracerKind::kStrace ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

std::vector<std::string> Tracer::notes() const {
  if (kind() == TracerKind::kStrace) return {};
  const std::string since =
      chosen_.no_strace.empty() ? "" : absl::StrCat(", since ", chosen_.no_strace);
  return {
      absl::StrCat("traced by the kernel's tracepoints", since),
      "tracepoints see no memory: events, lengths of parts, socket addresses and paths are "
      "shown as ..., and files by that word; descriptors are known by the calls that made them"};
}

absl::StatusOr<Trace> Tracer::take_trace(uint16_t port) {
  if (tracepoints_ != nullptr) return tracepoints_->take_trace(port);
  auto text = strace_->take_trace();
  if (!text.ok()) return text.status();
  return read_trace(*text);
}

}  // namespace hotlap::audit
