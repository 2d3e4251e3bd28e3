// One TLS connection of a server as a transport uses it; see server/stages/transport.h for what
// each step promises. Lies in the connection's own memory, zeroed; what OpenSSL allocates for it is
// about 10 KB, and 34 KB more while records are on their way.
#pragma once

#include "server/stages/transport.h"
#include "server/tls/server_context.h"

namespace hotlap::tls {

struct ServerStream {
  SSL* ssl;
  bool ready;    // the handshake is over
  bool failed;   // nothing may be said any more
  bool blocked;  // part of a record is still to be sent
  bool ended;    // our end was told to the peer
};

bool open_stream(ServerStream& stream, const ServerContext& server, int fd);
void close_stream(ServerStream& stream);
server::IoResult accept_stream(ServerStream& stream);
bool holds_bytes(const ServerStream& stream);
server::IoResult read_stream(ServerStream& stream, int fd, const iovec* segments, int count);
server::IoResult write_stream(ServerStream& stream, const iovec* segments, int count);
server::IoResult end_stream(ServerStream& stream);

}  // namespace hotlap::tls
