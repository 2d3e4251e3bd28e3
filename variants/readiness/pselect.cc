// pselect: two sets of bits are copied in and out at every wait. Costs O(highest descriptor) a wait
// on both sides of the call. An fd_set ends at 1,024: descriptors from 1,000 on are refused, never
// written beside it. Declared `pselect`.
#include <sys/select.h>

#include <algorithm>
#include <ctime>
#include <new>

#include "server/stages/readiness.h"
#include "variants/readiness/doorbell.h"

namespace hotlap::variants {
namespace {

using namespace server;

constexpr int kMaxDescriptors = 1000;
static_assert(kMaxDescriptors < FD_SETSIZE);

struct Watched {
  void* token;
  bool once;
};

struct State {
  Doorbell bell;
  fd_set readable;
  fd_set writable;
  Watched watched[kMaxDescriptors];
  int end = 0;   // one beyond the highest descriptor ever watched
  int next = 0;  // the descriptor looked at first, so that none waits behind the others for ever
};

State& of(void* state) { return *static_cast<State*>(state); }

void set(State& state, const InterestChange& to) {
  FD_CLR(to.fd, &state.readable);
  FD_CLR(to.fd, &state.writable);
  if (to.interest & kReadable) FD_SET(to.fd, &state.readable);
  if (to.interest & kWritable) FD_SET(to.fd, &state.writable);
  state.watched[to.fd] = {to.token, (to.interest & kOnce) != 0};
}

bool open(void* memory) {
  State* const state = new (memory) State;
  if (state->bell.fd() < 0 || state->bell.fd() >= kMaxDescriptors) {
    state->~State();
    return false;
  }
  FD_ZERO(&state->readable);
  FD_ZERO(&state->writable);
  state->end = state->bell.fd() + 1;
  set(*state, {state->bell.fd(), nullptr, kReadable});
  return true;
}

void close(void* state) { of(state).~State(); }

bool watch(void* memory, int fd, void* token, std::uint32_t interest) {
  if (fd >= kMaxDescriptors) return false;
  State& state = of(memory);
  const std::lock_guard<std::mutex> lock(state.bell.mutex());
  state.end = std::max(state.end, fd + 1);
  set(state, {fd, token, interest});
  return true;
}

bool change(void* memory, int fd, void* token, std::uint32_t interest) {
  if (fd >= kMaxDescriptors) return false;
  State& state = of(memory);
  state.bell.change({fd, token, interest}, [&state](const InterestChange& to) { set(state, to); });
  return true;
}

void forget(void* memory, int fd) {
  if (fd >= kMaxDescriptors) return;
  State& state = of(memory);
  const std::lock_guard<std::mutex> lock(state.bell.mutex());
  set(state, {fd, nullptr, kInterestNone});
}

int pselect_for(int end, fd_set& readable, fd_set& writable, int timeout_ms) {
  timespec timeout{timeout_ms / 1000, timeout_ms % 1000 * 1'000'000L};
  return ::pselect(end, &readable, &writable, nullptr, timeout_ms < 0 ? nullptr : &timeout,
                   nullptr);
}

int wait(void* memory, ReadyEvent* out, int capacity, int timeout_ms) {
  State& state = of(memory);
  state.bell.begin_wait();
  fd_set readable = state.readable;
  fd_set writable = state.writable;
  int left = pselect_for(state.end, readable, writable, timeout_ms);
  const std::lock_guard<std::mutex> lock(state.bell.mutex());
  const bool rang = left > 0 && FD_ISSET(state.bell.fd(), &readable);
  if (rang) FD_CLR(state.bell.fd(), &readable);
  int count = 0;
  int fd = state.next;
  for (int looked = 0; looked < state.end && left > 0 && count < capacity; ++looked, ++fd) {
    if (fd >= state.end) fd = 0;
    std::uint32_t ready = kInterestNone;
    if (FD_ISSET(fd, &readable)) ready |= kReadable;
    if (FD_ISSET(fd, &writable)) ready |= kWritable;
    if (ready == kInterestNone) continue;
    out[count++] = {state.watched[fd].token, ready};
    if (state.watched[fd].once) set(state, {fd, state.watched[fd].token, kInterestNone});
  }
  state.next = fd;
  state.bell.end_wait(rang, [&state](const InterestChange& to) { set(state, to); });
  return count;
}

}  // namespace

extern constinit const ReadinessStage readiness_pselect = {
    .info = {.name = "pselect",
             .summary = "pselect over all connections at every wait, 1,000 descriptors at most",
             .costs = "1 pselect a batch of ready connections, O(highest descriptor) each",
             .exemptions = kExemptPselect,
             .state_size = sizeof(State),
             .state_align = alignof(State)},
    .edge = false,
    .open = open,
    .close = close,
    .watch = watch,
    .change = change,
    .forget = forget,
    .wait = wait,
};

}  // namespace hotlap::variants
