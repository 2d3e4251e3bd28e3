// A client's socket, in plain or under TLS, read and written as a non-blocking socket is: what the
// exchange and the peer stand on. Any certificate will do.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "server/tls/client.h"

namespace hotlap::conformance {

// A numeric address, without brackets.
struct Endpoint {
  std::string host = "127.0.0.1";
  uint16_t port = 0;
  bool tls = false;
};
// "127.0.0.1:80" or "[::1]:80".
std::string to_string(const Endpoint& endpoint);

// What the channels to one endpoint share; null for plain ones.
using ClientTls = std::shared_ptr<const tls::ClientContext>;
ClientTls client_tls(const Endpoint& endpoint);

class Channel {
 public:
  // Begins to connect. `receive_buffer_bytes` > 0 makes a small window.
  Channel(const Endpoint& endpoint, ClientTls tls, int receive_buffer_bytes = 0);
  Channel(Channel&&) noexcept;
  Channel& operator=(Channel&&) = delete;
  ~Channel();

  int fd() const { return fd_; }
  SSL* ssl() const { return ssl_.get(); }              // null in plain
  const std::string& error() const { return error_; }  // why there is no connection
  bool connected() const;  // once it can be written, whether it is connected
  bool ready() const;      // no handshake is to come any more

  // As send(2) and recv(2): -1 and errno, EAGAIN where it must wait. An end of the stream that the
  // server did not announce under TLS is EPROTO, as is every other breach.
  ssize_t send(std::string_view bytes);
  ssize_t receive(char* bytes, size_t size);
  void shut_sending();
  // What is sent can only go on once something was read: a handshake is under way.
  bool sends_after_reading() const;
  void reset_on_close() const;
  void close();

 private:
  ssize_t failure(int returned);

  ClientTls tls_;
  tls::SslPtr ssl_;
  int fd_ = -1;
  std::string error_;
};

}  // namespace hotlap::conformance
