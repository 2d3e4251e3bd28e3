// request_line, header_map and router on what a request's head is made of.
#include <array>

#include "server/routes/table.h"
#include "server/stage_state.h"
#include "variants/contract/owned_map.h"
#include "variants/micro_benchmark/inputs.h"
#include "variants/micro_benchmark/measure.h"
#include "variants/micro_benchmark/stages.h"

namespace hotlap::variants {
namespace {

using namespace server;

void run_request_line(benchmark::State& state, const LoopCounters& counters,
                      const RequestLineStage& stage, const TextInput& input) {
  RequestLine expected;
  RequestLine got;
  const auto* reference = variants_of<RequestLineStage>().front();
  if (reference->parse(input.text, expected) != kAccepted ||
      stage.parse(input.text, got) != kAccepted || got.method != expected.method ||
      got.target != expected.target || got.minor != expected.minor) {
    return refuse_as_different(state);
  }
  measure_calls(state, counters, [&] {
    benchmark::DoNotOptimize(stage.parse(input.text, got));
    benchmark::DoNotOptimize(got);
  });
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(input.text.size()));
}

bool same_fields(const OwnedMap& a, const OwnedMap& b) {
  const auto some = a.fields();
  const auto others = b.fields();
  if (some.size() != others.size()) return false;
  for (std::size_t i = 0; i < some.size(); ++i) {
    if (some[i].name != others[i].name || some[i].value != others[i].value) return false;
  }
  return true;
}

// A call is a request: parsed, two fields looked up as handlers do (one that is there, one that is
// not), cleared.
void run_header_map(benchmark::State& state, const LoopCounters& counters,
                    const HeaderMapStage& stage, const TextInput& input) {
  OwnedMap reference(*variants_of<HeaderMapStage>().front());
  OwnedMap map(stage);
  if (reference.parse(input.text) != kAccepted || map.parse(input.text) != kAccepted ||
      !same_fields(reference, map)) {
    return refuse_as_different(state);
  }
  map.finish_request();
  measure_calls(state, counters, [&] {
    std::string_view value;
    benchmark::DoNotOptimize(map.parse(input.text));
    benchmark::DoNotOptimize(map.first("host", value));
    benchmark::DoNotOptimize(map.first("if-none-match", value));
    map.finish_request();
  });
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(input.text.size()));
}

struct RouterInput {
  const char* name;
  std::size_t numbered_routes;
  Method method;
  std::string_view path;
};

// The lab's own routes, of which the numbered ones are registered last.
constexpr RouterInput kRouterInputs[] = {
    {"last_of_100", 100, Method::kGet, "/route/99"},
    {"hello", 100, Method::kGet, "/hello"},
    {"parameter", 100, Method::kGet, "/file/report.html"},
    {"not_found", 100, Method::kGet, "/articles/2026/benchmarks"},
    {"not_allowed", 100, Method::kDelete, "/echo"},
    {"last_of_1000", 1000, Method::kGet, "/route/999"},
};

class BuiltRouter {
 public:
  BuiltRouter(const RouterStage& stage, const RouteTable& table)
      : stage_(stage), state_(stage.info), patterns_(table.patterns()) {
    stage_.build(state_.get(), patterns_.data(), patterns_.size());
  }
  ~BuiltRouter() { stage_.destroy(state_.get()); }
  BuiltRouter(const BuiltRouter&) = delete;
  BuiltRouter& operator=(const BuiltRouter&) = delete;

  RouteMatch match(const RouterInput& input) const {
    return stage_.match(state_.get(), input.method, input.path);
  }

 private:
  const RouterStage& stage_;
  StageState state_;
  std::vector<RoutePattern> patterns_;
};

bool same_match(const RouteMatch& a, const RouteMatch& b) {
  if (a.route != b.route || a.allowed != b.allowed || a.param_count != b.param_count) return false;
  for (int i = 0; i < a.param_count; ++i) {
    if (a.params[i] != b.params[i]) return false;
  }
  return true;
}

void run_router(benchmark::State& state, const LoopCounters& counters, const RouterStage& stage,
                const RouterInput& input) {
  RouteSettings settings;
  settings.numbered_routes = input.numbered_routes;
  const RouteTable table(settings);
  const BuiltRouter reference(*variants_of<RouterStage>().front(), table);
  const BuiltRouter router(stage, table);
  if (!same_match(reference.match(input), router.match(input))) return refuse_as_different(state);
  measure_calls(state, counters, [&] { benchmark::DoNotOptimize(router.match(input)); });
}

}  // namespace

void add_head_stages(const LoopCounters& counters) {
  add_stage<RequestLineStage>("request_line", request_line_inputs(), counters, run_request_line);
  add_stage<HeaderMapStage>("header_map", header_block_inputs(), counters, run_header_map);
  add_stage<RouterStage>("router", kRouterInputs, counters, run_router);
}

}  // namespace hotlap::variants
