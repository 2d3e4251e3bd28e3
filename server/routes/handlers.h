// The handlers of the lab's routes. Each fills exchange.reply and returns; none waits.
#pragma once

#include "server/routes/table.h"

namespace hotlap::server {

void answer_hello(Exchange& exchange);
void answer_ping(Exchange& exchange);
void answer_echo_size(Exchange& exchange);
void answer_echo_body(Exchange& exchange);
void answer_address(Exchange& exchange);
void answer_inspect(Exchange& exchange);
void answer_file(Exchange& exchange);
void answer_numbered(Exchange& exchange);

}  // namespace hotlap::server
