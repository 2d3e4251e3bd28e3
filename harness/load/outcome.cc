// Names of the outcome classes, as in results and on the terminal.
#include "harness/load/outcome.h"

namespace hotlap::load {

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOk:
      return "ok";
    case Outcome::kUnexpectedStatus:
      return "unexpected_status";
    case Outcome::kUnexpectedBody:
      return "unexpected_body";
    case Outcome::kConnect:
      return "connect";
    case Outcome::kReset:
      return "reset";
    case Outcome::kTimeout:
      return "timeout";
    case Outcome::kProtocol:
      return "protocol";
    case Outcome::kTls:
      return "tls";
    case Outcome::kInFlight:
      return "in_flight";
    case Outcome::kNeverSent:
      return "never_sent";
  }
  return "unknown";
}

}  // namespace hotlap::load
