// What the epoll variants share: one lasting registration a connection, changed from any thread.
#pragma once

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "server/stages/readiness.h"

namespace hotlap::variants {

inline constexpr int kEpollBatch = 256;

struct EpollState {
  int epoll_fd;
  epoll_event events[kEpollBatch];
};

inline EpollState& epoll_of(void* state) { return *static_cast<EpollState*>(state); }

inline bool open_epoll(void* memory) {
  EpollState* const state = new (memory) EpollState;
  state->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  return state->epoll_fd >= 0;
}

inline void close_epoll(void* state) { ::close(epoll_of(state).epoll_fd); }

inline void forget_by_closing(void*, int) {}  // closing a socket's only descriptor takes it out

inline std::uint32_t epoll_events_of(std::uint32_t interest) {
  std::uint32_t events = 0;
  if (interest & server::kReadable) events |= EPOLLIN;
  if (interest & server::kWritable) events |= EPOLLOUT;
  if (interest & server::kOnce) events |= EPOLLONESHOT;
  return events;
}

inline bool control_epoll(void* state, int operation, int fd, void* token, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = token;
  return epoll_ctl(epoll_of(state).epoll_fd, operation, fd, &event) == 0;
}

// `ends` are the events that are told as kPeerEnded.
inline int wait_epoll(void* memory, server::ReadyEvent* out, int capacity, int timeout_ms,
                      std::uint32_t ends) {
  EpollState& state = epoll_of(memory);
  const int count =
      epoll_wait(state.epoll_fd, state.events, std::min(capacity, kEpollBatch), timeout_ms);
  for (int i = 0; i < count; ++i) {
    const std::uint32_t events = state.events[i].events;
    std::uint32_t ready = server::kInterestNone;
    if (events & (EPOLLIN | EPOLLERR | EPOLLHUP)) ready |= server::kReadable;
    if (events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) ready |= server::kWritable;
    if (events & ends) ready |= server::kPeerEnded;
    out[i] = {state.events[i].data.ptr, ready};
  }
  return std::max(count, 0);
}

}  // namespace hotlap::variants
