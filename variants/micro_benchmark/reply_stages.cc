// address, date, response and ballast: what a request costs between its head and its reply.
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <cstring>
#include <ctime>
#include <string>

#include "harness/capture/unique_fd.h"
#include "server/http/date.h"
#include "server/stage_state.h"
#include "variants/contract/owned_arena.h"
#include "variants/micro_benchmark/measure.h"
#include "variants/micro_benchmark/stages.h"

namespace hotlap::variants {
namespace {

using namespace server;

constexpr std::int64_t kRequestsOfAConnection = 256;

// A connection over the loopback, for whose addresses the kernel can be asked.
class LoopbackConnection {
 public:
  LoopbackConnection() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof(address);
    const capture::UniqueFd listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    client_ = capture::UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (bind(listener.get(), generic, size) != 0 || listen(listener.get(), 1) != 0 ||
        getsockname(listener.get(), generic, &size) != 0 ||
        connect(client_.get(), generic, size) != 0) {
      return;
    }
    server_ = capture::UniqueFd(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  }
  int fd() const { return server_.get(); }  // -1 where no connection could be made

 private:
  capture::UniqueFd client_;
  capture::UniqueFd server_;
};

struct AddressInput {
  const char* name;
  bool asked;  // by the handler of each request
};
constexpr AddressInput kAddressInputs[] = {{"asked", true}, {"not_asked", false}};

struct Addresses {
  std::string peer;
  std::string local;
  bool operator==(const Addresses&) const = default;
};

Addresses addresses_by(const AddressStage& stage, int fd) {
  const StageState state(stage.info);
  stage.init(state.get());
  if (stage.on_request != nullptr) stage.on_request(state.get(), fd);
  const AddressPair pair = stage.get(state.get(), fd);
  return {std::string(pair.peer), std::string(pair.local)};
}

void run_address(benchmark::State& state, const LoopCounters& counters, const AddressStage& stage,
                 const AddressInput& input) {
  const LoopbackConnection connection;
  const int fd = connection.fd();
  if (fd < 0) return state.SkipWithError("no connection over the loopback could be made");
  if (addresses_by(stage, fd) != addresses_by(*variants_of<AddressStage>().front(), fd)) {
    return refuse_as_different(state);
  }
  const StageState memory(stage.info);
  measure_lives(state, counters, kRequestsOfAConnection, [&] {
    stage.init(memory.get());
    for (std::int64_t i = 0; i < kRequestsOfAConnection; ++i) {
      if (stage.on_request != nullptr) stage.on_request(memory.get(), fd);
      if (input.asked) benchmark::DoNotOptimize(stage.get(memory.get(), fd));
    }
  });
}

struct DateInput {
  const char* name;
};
constexpr DateInput kDateInputs[] = {{"reply"}};

// The date at a second that was the present one from before the call until after it.
bool writes_the_present(const DateStage& stage, void* memory) {
  // The second may turn meanwhile, and the coarse clock turns some milliseconds after the fine one.
  constexpr std::chrono::milliseconds kPatience{100};
  const auto until = std::chrono::steady_clock::now() + kPatience;
  do {
    char got[kDateBytes];
    char before[kDateBytes];
    char after[kDateBytes];
    timespec now{};
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    format_http_date(now.tv_sec, before);
    stage.write(memory, got);
    clock_gettime(CLOCK_REALTIME, &now);
    format_http_date(now.tv_sec, after);
    if (std::memcmp(before, after, kDateBytes) != 0) continue;
    return std::memcmp(got, before, kDateBytes) == 0;
  } while (std::chrono::steady_clock::now() < until);
  return false;
}

void run_date(benchmark::State& state, const LoopCounters& counters, const DateStage& stage,
              const DateInput&) {
  const StageState memory(stage.info);
  if (!writes_the_present(stage, memory.get())) return refuse_as_different(state);
  char out[kDateBytes];
  measure_calls(state, counters, [&] {
    stage.write(memory.get(), out);
    benchmark::DoNotOptimize(out);
  });
}

struct ResponseInput {
  const char* name;
  std::size_t body_bytes;
};
constexpr ResponseInput kResponseInputs[] = {{"hello", 13}, {"empty", 0}, {"page", 16 * 1024}};

std::string joined(const Output& output) {
  std::string text;
  for (int i = 0; i < output.count; ++i) {
    text.append(static_cast<const char*>(output.segments[i].iov_base), output.segments[i].iov_len);
  }
  return text;
}

// One stage with its connection's memory; encode and clear are a reply's life.
class OwnedResponse {
 public:
  explicit OwnedResponse(const ResponseStage& stage) : stage_(stage), state_(stage.info) {
    stage_.init(state_.get());
  }
  ~OwnedResponse() { stage_.destroy(state_.get()); }
  OwnedResponse(const OwnedResponse&) = delete;
  OwnedResponse& operator=(const OwnedResponse&) = delete;

  void encode(const ReplyHead& head, std::string_view body, Output& out) {
    stage_.encode(state_.get(), head, body, arena_.get(), out);
  }
  void clear() {
    if (stage_.clear != nullptr) stage_.clear(state_.get());
    arena_.reset();
  }

 private:
  const ResponseStage& stage_;
  StageState state_;
  OwnedArena arena_;
};

void run_response(benchmark::State& state, const LoopCounters& counters, const ResponseStage& stage,
                  const ResponseInput& input) {
  char date[kDateBytes];
  format_http_date(0, date);
  const std::string body(input.body_bytes, 'x');
  ReplyHead head;
  head.date = date;
  head.content_type = "text/plain";
  head.content_length = body.size();
  OwnedResponse response(stage);
  OwnedResponse reference(*variants_of<ResponseStage>().front());
  Output out;
  Output expected;
  response.encode(head, body, out);
  reference.encode(head, body, expected);
  if (joined(out) != joined(expected)) return refuse_as_different(state);
  response.clear();
  measure_calls(state, counters, [&] {
    Output output;
    response.encode(head, body, output);
    benchmark::DoNotOptimize(output);
    response.clear();
  });
}

struct BallastInput {
  const char* name;
  const char* argument;
};
constexpr BallastInput kBallastInputs[] = {{"800_steps", "800"}, {"100_steps", "100"}};

// A variant that takes no argument runs without; there is no answer to compare.
void run_ballast(benchmark::State& state, const LoopCounters& counters, const BallastStage& stage,
                 const BallastInput& input) {
  StageConfig config;
  const char* const argument = stage.info.configure == nullptr ? "" : input.argument;
  if (const char* const why = configure_variant(stage.info, argument, config)) {
    return state.SkipWithError(why);
  }
  measure_calls(state, counters, [&] { stage.spend(config); });
}

}  // namespace

void add_reply_stages(const LoopCounters& counters) {
  add_stage<AddressStage>("address", kAddressInputs, counters, run_address);
  add_stage<DateStage>("date", kDateInputs, counters, run_date);
  add_stage<ResponseStage>("response", kResponseInputs, counters, run_response);
  add_stage<BallastStage>("ballast", kBallastInputs, counters, run_ballast);
}

}  // namespace hotlap::variants
