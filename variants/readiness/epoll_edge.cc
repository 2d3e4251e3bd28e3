// epoll, edge-triggered: an arrival is reported once. A read that comes back short has emptied the
// socket (epoll(7) vouches for it), so that the ordinary request needs no second recv; a full read
// is followed by one epoll_ctl, which reports what is left. Two things end a read early and show in
// the event: the peer's end behind the last bytes, and urgent data in their midst. Where the
// dispatch arms every event anew (thread_pool), edge and level are one and the same.
#include "server/pipeline.h"
#include "variants/readiness/epoll.h"

namespace hotlap::variants {
namespace {

using namespace server;

constexpr std::uint32_t kEnds = EPOLLRDHUP | EPOLLHUP | EPOLLPRI;

// Armed once, an event is reported once as it is; what must be told until it is taken is no edge.
std::uint32_t events_of(std::uint32_t interest) {
  std::uint32_t events = epoll_events_of(interest);
  if ((interest & (kOnce | kUntilTaken)) == 0) events |= EPOLLET;
  if (interest & kReadable) events |= EPOLLRDHUP | EPOLLPRI;
  return events;
}

bool watch(void* state, int fd, void* token, std::uint32_t interest) {
  return control_epoll(state, EPOLL_CTL_ADD, fd, token, events_of(interest));
}

bool change(void* state, int fd, void* token, std::uint32_t interest) {
  return control_epoll(state, EPOLL_CTL_MOD, fd, token, events_of(interest));
}

int wait(void* state, ReadyEvent* out, int capacity, int timeout_ms) {
  return wait_epoll(state, out, capacity, timeout_ms, kEnds);
}

}  // namespace

extern constinit const ReadinessStage readiness_epoll_edge = {
    .info = {.name = "epoll_edge",
             .summary = "epoll, edge-triggered, one lasting registration a connection",
             .costs = "1 epoll_wait a batch of ready connections, 1 epoll_ctl a read that may have "
                      "left something",
             .state_size = sizeof(EpollState),
             .state_align = alignof(EpollState)},
    .edge = true,
    .open = open_epoll,
    .close = close_epoll,
    .watch = watch,
    .change = change,
    .forget = forget_by_closing,
    .wait = wait,
};

}  // namespace hotlap::variants
