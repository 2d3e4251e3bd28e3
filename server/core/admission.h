// Who is let in: accepts, keeps to the limit on connections, and answers what it turns away. One a
// listener, shared by all ways to wait.
#pragma once

#include <string>

#include "server/core/connection.h"
#include "server/core/service.h"

namespace hotlap::server {

class Admission {
 public:
  Admission(Service& service, Listener& listener) : service_(service), listener_(listener) {}
  ~Admission();
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  // Empty, or what went wrong.
  std::string open();

  enum class Accepted {
    kOne,      // `fd` is a new socket
    kNothing,  // none waits
    kRefused,  // none of the descriptors was left, and the connection in front was turned away
    kStuck,    // nor could that be done: try later
  };
  // Accepts without waiting, with `flags` as accept4 has them.
  Accepted accept(int flags, int& fd);
  // Out of descriptors: a listener would stay ready for ever, so that the connection in front is
  // taken off the queue with the descriptor kept for this, and turned away.
  Accepted make_room();

  // An accepted socket becomes a connection; null when it was turned away.
  ConnectionPtr admit(int fd, std::int64_t now_ms);
  // Counts, and answers 503 without waiting: a socket just accepted has room for so little. Whoever
  // owns `fd` closes it.
  void turn_away(int fd);

 private:
  Service& service_;
  Listener& listener_;
  int spare_fd_ = -1;  // given up for a moment when descriptors run out
};

}  // namespace hotlap::server
