// Out of the variants' own files: starting a thread calls through pointers of the library.
#include "server/core/serving_threads.h"

#include <system_error>

namespace hotlap::server {

std::string ServingThreads::start(Body body, void* context) {
  try {
    threads_.emplace_back(body, context);
  } catch (const std::system_error& failure) {
    return std::string("cannot start a serving thread: ") + failure.what() +
           "; ask for fewer, or raise the limit of processes";
  }
  return {};
}

void ServingThreads::join() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace hotlap::server
