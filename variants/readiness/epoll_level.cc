// epoll, level-triggered: an event is reported until the bytes are taken, so that one read an
// event is enough. Costs one epoll_wait a batch of events, and none of epoll_ctl a request.
#include "variants/readiness/epoll.h"

namespace hotlap::variants {
namespace {

using namespace server;

bool watch(void* state, int fd, void* token, std::uint32_t interest) {
  return control_epoll(state, EPOLL_CTL_ADD, fd, token, epoll_events_of(interest));
}

bool change(void* state, int fd, void* token, std::uint32_t interest) {
  return control_epoll(state, EPOLL_CTL_MOD, fd, token, epoll_events_of(interest));
}

int wait(void* state, ReadyEvent* out, int capacity, int timeout_ms) {
  return wait_epoll(state, out, capacity, timeout_ms, 0);
}

}  // namespace

extern constinit const ReadinessStage readiness_epoll_level = {
    .info = {.name = "epoll_level",
             .summary = "epoll, level-triggered, one lasting registration a connection",
             .costs = "1 epoll_wait a batch of ready connections; nothing else a request",
             .state_size = sizeof(EpollState),
             .state_align = alignof(EpollState)},
    .edge = false,
    .open = open_epoll,
    .close = close_epoll,
    .watch = watch,
    .change = change,
    .forget = forget_by_closing,
    .wait = wait,
};

}  // namespace hotlap::variants
