// poll: every descriptor is handed to the kernel at every wait. Costs O(connections) a wait on both
// sides of the call, however few are ready; a wait that finds all of them ready is its best case.
#include <poll.h>

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "server/stages/readiness.h"
#include "variants/readiness/doorbell.h"

namespace hotlap::variants {
namespace {

using namespace server;

struct Watched {
  void* token;
  bool once;
};

struct State {
  Doorbell bell;
  std::vector<pollfd> polled;    // the bell, then one a descriptor; not(fd) is passed over
  std::vector<Watched> watched;  // beside polled
  std::vector<std::size_t> slot_of_fd;
  std::size_t next = 1;  // the slot looked at first, so that none waits behind the others for ever
};

State& of(void* state) { return *static_cast<State*>(state); }

bool open(void* memory) {
  State* const state = new (memory) State;
  if (state->bell.fd() < 0) {
    state->~State();
    return false;
  }
  state->polled.push_back({state->bell.fd(), POLLIN, 0});
  state->watched.push_back({nullptr, false});
  return true;
}

void close(void* state) { of(state).~State(); }

// Without interest a descriptor is passed over, else an error or a hang-up would still be told.
void set(State& state, std::size_t slot, const InterestChange& to) {
  short events = 0;
  if (to.interest & kReadable) events |= POLLIN;
  if (to.interest & kWritable) events |= POLLOUT;
  state.polled[slot] = {events == 0 ? ~to.fd : to.fd, events, 0};
  state.watched[slot] = {to.token, (to.interest & kOnce) != 0};
}

bool watch(void* memory, int fd, void* token, std::uint32_t interest) {
  State& state = of(memory);
  const std::lock_guard<std::mutex> lock(state.bell.mutex());
  const auto index = static_cast<std::size_t>(fd);
  if (state.slot_of_fd.size() <= index) state.slot_of_fd.resize(index + 1);
  const std::size_t slot = state.slot_of_fd[index] = state.polled.size();
  state.polled.emplace_back();
  state.watched.emplace_back();
  set(state, slot, {fd, token, interest});
  return true;
}

bool change(void* memory, int fd, void* token, std::uint32_t interest) {
  State& state = of(memory);
  state.bell.change({fd, token, interest}, [&state](const InterestChange& to) {
    set(state, state.slot_of_fd[static_cast<std::size_t>(to.fd)], to);
  });
  return true;
}

void forget(void* memory, int fd) {
  State& state = of(memory);
  const std::lock_guard<std::mutex> lock(state.bell.mutex());
  const std::size_t slot = state.slot_of_fd[static_cast<std::size_t>(fd)];
  const int last = state.polled.back().fd;
  state.slot_of_fd[static_cast<std::size_t>(last < 0 ? ~last : last)] = slot;
  state.polled[slot] = state.polled.back();
  state.watched[slot] = state.watched.back();
  state.polled.pop_back();
  state.watched.pop_back();
}

ReadyEvent take(State& state, std::size_t slot) {
  pollfd& polled = state.polled[slot];
  std::uint32_t ready = kInterestNone;
  if (polled.revents & ~POLLOUT) ready |= kReadable;
  if (polled.revents & ~POLLIN) ready |= kWritable;
  if (state.watched[slot].once) polled.fd = ~polled.fd;
  return {state.watched[slot].token, ready};
}

int wait(void* memory, ReadyEvent* out, int capacity, int timeout_ms) {
  State& state = of(memory);
  state.bell.begin_wait();
  int left = ::poll(state.polled.data(), state.polled.size(), timeout_ms);
  const std::lock_guard<std::mutex> lock(state.bell.mutex());
  const bool rang = left > 0 && state.polled.front().revents != 0;
  if (rang) --left;
  int count = 0;
  std::size_t slot = state.next;
  for (std::size_t looked = 1; looked < state.polled.size() && left > 0 && count < capacity;
       ++looked, ++slot) {
    if (slot >= state.polled.size()) slot = 1;
    if (state.polled[slot].revents == 0) continue;
    out[count++] = take(state, slot);
    --left;
  }
  state.next = slot;
  state.bell.end_wait(rang, [&state](const InterestChange& to) {
    set(state, state.slot_of_fd[static_cast<std::size_t>(to.fd)], to);
  });
  return count;
}

}  // namespace

extern constinit const ReadinessStage readiness_poll = {
    .info = {.name = "poll",
             .summary = "poll over all connections at every wait",
             .costs = "1 poll a batch of ready connections, O(connections) each",
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
