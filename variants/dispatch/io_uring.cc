// N threads, each with a listening socket and an io_uring of its own: accepting, reading and
// writing are started and completed in the ring, handlers run in place. Costs one io_uring_enter a
// batch of completions; an idle connection holds the memory that its next bytes will be read to.
// Nothing waits for readiness and nothing is called to receive: pipelines that name a variant of
// these stages which no profile has are refused, for they would measure the same twice.
#include <string_view>

#include "server/core/ring.h"
#include "variants/dispatch/threads.h"

namespace hotlap::variants {
namespace {

using namespace server;

void serve(void* ring) { static_cast<Ring*>(ring)->serve(); }

std::string run(Service& service, const StageConfig&) {
  return serve_each_listener<Ring, serve>(service);
}

bool is(const VariantInfo& info, std::string_view name) { return info.name == name; }

const char* valid_with(const Pipeline& pipeline) {
  if (!pipeline.transport->direct) {
    return "it moves bytes by the socket itself; use transport=plain";
  }
  if (!is(pipeline.readiness->info, "epoll_level") && !is(pipeline.readiness->info, "epoll_edge")) {
    return "it waits for completions, so that no readiness variant has an effect; leave "
           "readiness=epoll_level or epoll_edge";
  }
  if (!is(pipeline.receive->info, "recv_once")) {
    return "it reads in the ring, so that no receive variant has an effect; leave "
           "receive=recv_once";
  }
  if (!is(pipeline.body->info, "copy")) return "it sends from memory only; use body=copy";
  return nullptr;
}

}  // namespace

extern constinit const DispatchStage dispatch_io_uring = {
    .info = {.name = "io_uring",
             .summary = "io_uring:N, N threads that accept, read and write by completion; the "
                        "readiness and receive stages are not used",
             .costs = "1 io_uring_enter a batch of completions; no recv, send or wait of its own",
             .configure = configure_threads,
             .supported = ring_unsupported_reason,
             .valid_with = valid_with},
    .listeners = one_listener_a_thread,
    .run = run,
};

}  // namespace hotlap::variants
