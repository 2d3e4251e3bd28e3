// Reads the clock and formats the date for every reply. Costs one clock read without a syscall and
// the formatting.
#include <ctime>

#include "server/http/date.h"
#include "server/stages/date.h"

namespace hotlap::variants {
namespace {

using namespace server;

void write(void*, char* out) {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  format_http_date(now.tv_sec, out);
}

}  // namespace

extern constinit const DateStage date_per_request = {
    .info = {.name = "per_request",
             .summary = "clock read and date formatted for every reply",
             .costs = "1 precise clock read (no syscall) and the formatting"},
    .write = write,
};

}  // namespace hotlap::variants
