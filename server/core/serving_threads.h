// Threads that a dispatch variant starts, joined at the end whatever happens.
#pragma once

#include <string>
#include <thread>
#include <vector>

namespace hotlap::server {

class ServingThreads {
 public:
  using Body = void (*)(void* context);

  ServingThreads() = default;
  ~ServingThreads() { join(); }
  ServingThreads(const ServingThreads&) = delete;
  ServingThreads& operator=(const ServingThreads&) = delete;

  // `context` outlives the thread. Empty, or why it could not be started.
  std::string start(Body body, void* context);
  void join();

 private:
  std::vector<std::thread> threads_;
};

}  // namespace hotlap::server
