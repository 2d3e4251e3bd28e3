// hotlap-micro: every variant of the stages that can be called alone, on realistic requests, from
// the registry. Each answer is compared with the reference variant's before anything is timed. What
// a stage saves here and what it saves in a server often disagree: `hotlap ab` tells the latter.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "variants/contract/owned_map.h"
#include "variants/registry.h"

namespace hotlap::variants {
namespace {

using namespace server;

struct Input {
  const char* name;
  std::string line;
  std::string block;
};

std::string fields(int count) {
  std::string block;
  for (int i = 0; i < count; ++i) {
    block += "X-Field-" + std::to_string(i) + ": value " + std::to_string(i * 7919) + "\r\n";
  }
  return block;
}

const std::vector<Input>& inputs() {
  static const std::vector<Input> all = {
      {"curl", "GET /hello HTTP/1.1",
       "Host: 127.0.0.1:8080\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n"},
      {"browser", "GET /articles/2026/benchmarks?utm_source=feed&page=2 HTTP/1.1",
       "Host: www.example.org\r\nConnection: keep-alive\r\nCache-Control: max-age=0\r\n"
       "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/120.0 "
       "Safari/537.36\r\n"
       "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"
       "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"
       "Referer: https://www.example.org/articles\r\nAccept-Encoding: gzip, deflate, br\r\n"
       "Accept-Language: en-GB,en;q=0.9\r\n"
       "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark; consent=1\r\n"},
      {"forty_fields", "POST /echo HTTP/1.1", "Host: a\r\n" + fields(40)},
      {"long_target", "GET /" + std::string(4000, 'a') + " HTTP/1.1", "Host: a\r\n"},
  };
  return all;
}

bool same(const RequestLine& a, const RequestLine& b) {
  return a.method == b.method && a.target == b.target && a.minor == b.minor;
}

void request_line(benchmark::State& state, const RequestLineStage* stage, const Input* input) {
  RequestLine expected;
  RequestLine got;
  const auto* reference = variants_of<RequestLineStage>().front();
  if (reference->parse(input->line, expected) != stage->parse(input->line, got) ||
      !same(expected, got)) {
    state.SkipWithError("differs from the reference variant: not timed");
    return;
  }
  while (state.KeepRunning()) {
    benchmark::DoNotOptimize(stage->parse(input->line, got));
    benchmark::DoNotOptimize(got);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(input->line.size()));
}

void header_map(benchmark::State& state, const HeaderMapStage* stage, const Input* input) {
  OwnedMap reference(*variants_of<HeaderMapStage>().front());
  OwnedMap map(*stage);
  bool alike = reference.parse(input->block) == map.parse(input->block);
  const auto expected = reference.fields();
  const auto got = map.fields();
  alike = alike && expected.size() == got.size();
  for (std::size_t i = 0; alike && i < got.size(); ++i) {
    alike = expected[i].name == got[i].name && expected[i].value == got[i].value;
  }
  map.finish_request();
  if (!alike) {
    state.SkipWithError("differs from the reference variant: not timed");
    return;
  }
  while (state.KeepRunning()) {
    benchmark::DoNotOptimize(map.parse(input->block));
    map.finish_request();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(input->block.size()));
}

template <typename Stage, typename Function>
void add_stage(const char* name, Function function) {
  for (const Stage* variant : variants_of<Stage>()) {
    if (unsupported_reason(variant->info) != nullptr) continue;
    for (const Input& input : inputs()) {
      const std::string full = std::string(name) + "/" + variant->info.name + "/" + input.name;
      benchmark::RegisterBenchmark(full.c_str(), function, variant, &input);
    }
  }
}

}  // namespace
}  // namespace hotlap::variants

int main(int argc, char** argv) {
  using namespace hotlap;
  variants::add_stage<server::RequestLineStage>("request_line", variants::request_line);
  variants::add_stage<server::HeaderMapStage>("header_map", variants::header_map);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 3;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
