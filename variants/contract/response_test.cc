// Every response variant puts the same bytes on the wire as the shared writer says, in one or two
// writes, with the arena of a connection, whatever was sent before.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/stage_state.h"
#include "variants/contract/inputs.h"
#include "variants/registry.h"

namespace hotlap::variants {
namespace {

using namespace server;

constexpr char kDate[] = "Mon, 30 Nov 2026 10:01:24 GMT";

class ResponseContract : public testing::TestWithParam<const ResponseStage*> {
 protected:
  void SetUp() override {
    if (const char* why = unsupported_reason(GetParam()->info)) GTEST_SKIP() << why;
  }
};

struct Sent {
  ReplyHead head;
  std::string body;
};

std::vector<Sent> replies() {
  std::vector<Sent> all;
  for (HttpStatus status : {200, 204, 400, 404, 405, 413, 414, 417, 431, 501, 505}) {
    for (ConnectionToken token :
         {ConnectionToken::kOmit, ConnectionToken::kClose, ConnectionToken::kKeepAlive}) {
      for (size_t size : {0, 1, 13, 64, 4095, 4096, 4097, 100000}) {
        Sent sent;
        sent.head.status = status;
        sent.head.date = kDate;
        sent.head.connection = token;
        if (status == 204) sent.head.has_content_length = false;
        if (status != 204) sent.head.content_type = "text/plain";
        if (status == 405 || status == 204) sent.head.allow = "GET, HEAD, POST";
        sent.head.content_length = size;
        if (status != 204) sent.body.assign(size, 'b');
        all.push_back(std::move(sent));
      }
    }
  }
  return all;
}

std::string wire_of(const Sent& sent) {
  std::string out(reply_head_bound(sent.head), '\0');
  out.resize(write_reply_head(sent.head, out.data()));
  return out + sent.body;
}

std::string joined(const Output& output) {
  std::string out;
  for (int i = 0; i < output.count; ++i) {
    out.append(static_cast<const char*>(output.segments[i].iov_base), output.segments[i].iov_len);
  }
  return out;
}

TEST_P(ResponseContract, SameBytesAsTheSharedWriter) {
  const ResponseStage& stage = *GetParam();
  const AllocationStage& allocation = *variants_of<AllocationStage>().front();
  StageState state(stage.info), arena_state(allocation.info);
  Arena arena;
  arena.stage = &allocation;
  arena.state = arena_state.get();
  allocation.init(arena.state, arena);
  stage.init(state.get());
  for (const Sent& sent : replies()) {
    Output output;
    stage.encode(state.get(), sent.head, sent.body, arena, output);
    ASSERT_GE(output.count, 1);
    ASSERT_LE(output.count, 2);
    ASSERT_GE(output.first_count, 1);
    ASSERT_LE(output.first_count, output.count);
    ASSERT_EQ(joined(output), wire_of(sent));
    if (stage.clear != nullptr) stage.clear(state.get());
    allocation.reset(arena.state, arena);
  }
  stage.destroy(state.get());
  allocation.destroy(arena.state, arena);
}

// Two connections in the middle of their replies must not share what they send from.
TEST_P(ResponseContract, TwoConnectionsDoNotMix) {
  const ResponseStage& stage = *GetParam();
  const AllocationStage& allocation = *variants_of<AllocationStage>().front();
  StageState states[2] = {StageState(stage.info), StageState(stage.info)};
  StageState arena_states[2] = {StageState(allocation.info), StageState(allocation.info)};
  Arena arenas[2];
  Output outputs[2];
  Sent sent[2];
  for (int i = 0; i < 2; ++i) {
    arenas[i].stage = &allocation;
    arenas[i].state = arena_states[i].get();
    allocation.init(arenas[i].state, arenas[i]);
    stage.init(states[i].get());
    sent[i].head.date = kDate;
    sent[i].head.content_type = "text/plain";
    sent[i].body = i == 0 ? "first" : "the second one";
    sent[i].head.content_length = sent[i].body.size();
    stage.encode(states[i].get(), sent[i].head, sent[i].body, arenas[i], outputs[i]);
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(joined(outputs[i]), wire_of(sent[i]));
    if (stage.clear != nullptr) stage.clear(states[i].get());
    stage.destroy(states[i].get());
    allocation.destroy(arenas[i].state, arenas[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, ResponseContract,
                         testing::ValuesIn(variants_of<ResponseStage>().begin(),
                                           variants_of<ResponseStage>().end()),
                         [](const auto& info) { return variant_test_name(info.param); });

}  // namespace
}  // namespace hotlap::variants
