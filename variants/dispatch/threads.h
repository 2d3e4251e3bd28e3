// What dispatch variants share: how many threads, and one server a listening socket.
#pragma once

#include <charconv>
#include <memory>
#include <vector>

#include "server/core/service.h"
#include "server/core/serving_threads.h"

namespace hotlap::variants {

inline constexpr std::uint64_t kMaxThreads = 256;

// One when none is given. Written back, so that what is echoed is always in full.
inline const char* configure_threads(std::string_view argument, server::StageConfig& config) {
  config.number = 1;
  if (!argument.empty()) {
    const char* const end = argument.data() + argument.size();
    const auto [stop, error] = std::from_chars(argument.data(), end, config.number);
    if (error != std::errc() || stop != end || config.number < 1 || config.number > kMaxThreads) {
      return "the argument is a number of threads from 1 to 256, such as :2";
    }
  }
  config.argument = std::to_string(config.number);
  return nullptr;
}

inline int one_listener_a_thread(const server::StageConfig& config) {
  return static_cast<int>(config.number);
}

// A Server for every listening socket, made of (service, listener), each in a thread of its own,
// the first in this one. It has open() and error(), which are empty or say what went wrong.
template <class Server, void (*serve)(void* one_server)>
std::string serve_each_listener(server::Service& service) {
  std::vector<std::unique_ptr<Server>> servers;
  for (std::size_t i = 0; i < service.listener_count(); ++i) {
    servers.push_back(std::make_unique<Server>(service, service.listener(i)));
    if (std::string error = servers.back()->open(); !error.empty()) return error;
  }
  server::ServingThreads threads;
  std::string error;
  for (std::size_t i = 1; i < servers.size() && error.empty(); ++i) {
    error = threads.start(serve, servers[i].get());
  }
  if (!error.empty()) service.stop();
  serve(servers.front().get());
  threads.join();
  for (const auto& one : servers) {
    if (error.empty()) error = one->error();
  }
  return error;
}

}  // namespace hotlap::variants
