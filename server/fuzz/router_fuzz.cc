// Any table of routes and any path: every router must find the same as the first one listed. Lines
// of the input up to an empty one are routes, a byte of methods and a pattern; what follows is the
// path. Memory that a router gives back too early shows under the address sanitizer.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "server/fuzz/demand.h"
#include "server/stage_state.h"
#include "variants/registry.h"

namespace hotlap::fuzz {
namespace {

using namespace server;
using variants::variants_of;

// Small tables, so that patterns meet often.
constexpr size_t kMaxRoutes = 32;
constexpr size_t kMaxPatternBytes = 64;

struct Table {
  std::vector<std::string> texts;
  std::vector<std::uint32_t> methods;
  std::string path;

  std::vector<RoutePattern> patterns() const {
    std::vector<RoutePattern> all;
    for (size_t i = 0; i < texts.size(); ++i) all.push_back({methods[i], texts[i]});
    return all;
  }
};

Table table_of(std::string_view input) {
  Table table;
  while (!input.empty() && table.texts.size() < kMaxRoutes) {
    const size_t end = std::min(input.find('\n'), input.size());
    const std::string_view line = input.substr(0, end);
    input.remove_prefix(std::min(end + 1, input.size()));
    if (line.empty()) break;
    // A pattern begins with a slash, by the contract.
    if (line.size() < 2 || line.size() > kMaxPatternBytes || line[1] != '/') continue;
    table.methods.push_back(static_cast<unsigned char>(line[0]));
    table.texts.emplace_back(line.substr(1));
  }
  table.path = input;
  return table;
}

void compare(const Table& table, Method method) {
  const std::vector<RoutePattern> patterns = table.patterns();
  RouteMatch want;
  for (const RouterStage* stage : variants_of<RouterStage>()) {
    if (unsupported_reason(stage->info) != nullptr) continue;
    const char* const name = stage->info.name;
    const StageState state(stage->info);
    stage->build(state.get(), patterns.data(), patterns.size());
    const RouteMatch got = stage->match(state.get(), method, table.path);
    stage->destroy(state.get());
    if (stage == variants_of<RouterStage>().front()) want = got;
    demand(got.route == want.route, "router: other route", name);
    demand(got.allowed == want.allowed, "router: other methods", name);
    demand(got.param_count == want.param_count, "router: other parameters", name);
    for (int i = 0; i < got.param_count; ++i) {
      demand(got.params[i] == want.params[i], "router: another parameter", name);
      demand(
          got.params[i].data() >= table.path.data() &&
              got.params[i].data() + got.params[i].size() <= table.path.data() + table.path.size(),
          "router: a parameter from elsewhere", name);
    }
  }
}

}  // namespace
}  // namespace hotlap::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hotlap::fuzz;
  const Table table = table_of({reinterpret_cast<const char*>(data), size});
  for (const auto method : {hotlap::server::Method::kGet, hotlap::server::Method::kPost}) {
    compare(table, method);
  }
  return 0;
}
