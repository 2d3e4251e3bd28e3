// The open connections of one thread that waits for them, each known by its place in the list.
// Counts them for the whole server too. O(1) to add and to remove.
#pragma once

#include <utility>
#include <vector>

#include "server/core/connection.h"
#include "server/core/service.h"

namespace hotlap::server {

class Roster {
 public:
  explicit Roster(Service& service) : service_(service) {}
  ~Roster() { clear(); }
  Roster(const Roster&) = delete;
  Roster& operator=(const Roster&) = delete;

  bool empty() const { return connections_.empty(); }
  auto begin() const { return connections_.begin(); }
  auto end() const { return connections_.end(); }

  Connection& add(ConnectionPtr connection) {
    connection->owner_slot = connections_.size();
    connections_.push_back(std::move(connection));
    service_.open_connections.fetch_add(1, std::memory_order_relaxed);
    return *connections_.back();
  }
  // Destroys it, which closes its descriptor.
  void remove(Connection& connection) {
    const std::size_t slot = connection.owner_slot;
    if (slot + 1 != connections_.size()) {
      connections_[slot] = std::move(connections_.back());
      connections_[slot]->owner_slot = slot;
    }
    connections_.pop_back();
    service_.open_connections.fetch_sub(1, std::memory_order_relaxed);
  }
  void clear() {
    service_.open_connections.fetch_sub(connections_.size(), std::memory_order_relaxed);
    connections_.clear();
  }

 private:
  Service& service_;
  std::vector<ConnectionPtr> connections_;
};

}  // namespace hotlap::server
