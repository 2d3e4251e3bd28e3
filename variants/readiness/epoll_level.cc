// epoll, level-triggered: an event is reported until the bytes are taken, so that one read an
// event is enough. Costs one epoll_wait a batch of events, and none of epoll_ctl a request.
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "server/stages/readiness.h"

namespace hotlap::variants {
namespace {

using namespace server;

constexpr int kBatch = 256;

struct State {
  int epoll_fd;
  epoll_event events[kBatch];
};

State& of(void* state) { return *static_cast<State*>(state); }

epoll_event event_for(void* token, std::uint32_t interest) {
  epoll_event event{};
  event.data.ptr = token;
  if (interest & kReadable) event.events |= EPOLLIN;
  if (interest & kWritable) event.events |= EPOLLOUT;
  if (interest & kOnce) event.events |= EPOLLONESHOT;
  return event;
}

bool open(void* memory) {
  State* const state = new (memory) State;
  state->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  return state->epoll_fd >= 0;
}

void close(void* state) { ::close(of(state).epoll_fd); }

bool watch(void* state, int fd, void* token, std::uint32_t interest) {
  epoll_event event = event_for(token, interest);
  return epoll_ctl(of(state).epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

bool change(void* state, int fd, void* token, std::uint32_t interest) {
  epoll_event event = event_for(token, interest);
  return epoll_ctl(of(state).epoll_fd, EPOLL_CTL_MOD, fd, &event) == 0;
}

void forget(void*, int) {}  // closing the only descriptor of a socket takes it out

int wait(void* memory, ReadyEvent* out, int capacity, int timeout_ms) {
  State& state = of(memory);
  const int count =
      epoll_wait(state.epoll_fd, state.events, std::min(capacity, kBatch), timeout_ms);
  for (int i = 0; i < count; ++i) {
    const std::uint32_t events = state.events[i].events;
    std::uint32_t ready = kInterestNone;
    if (events & (EPOLLIN | EPOLLERR | EPOLLHUP)) ready |= kReadable;
    if (events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) ready |= kWritable;
    out[i] = {state.events[i].data.ptr, ready};
  }
  return std::max(count, 0);
}

}  // namespace

extern constinit const ReadinessStage readiness_epoll_level = {
    .info = {.name = "epoll_level",
             .summary = "epoll, level-triggered, one lasting registration a connection",
             .costs = "1 epoll_wait a batch of ready connections; nothing else a request",
             .state_size = sizeof(State),
             .state_align = alignof(State)},
    .concurrent_change = true,
    .open = open,
    .close = close,
    .watch = watch,
    .change = change,
    .forget = forget,
    .wait = wait,
};

}  // namespace hotlap::variants
