// What this host is and what can be measured on it, as messages.
#ifndef HOTLAP_HARNESS_AGENT_ENVIRONMENT_MESSAGE_H_
#define HOTLAP_HARNESS_AGENT_ENVIRONMENT_MESSAGE_H_

#include "harness/proto/control.pb.h"

namespace hotlap::agent {

hotlap::v1::DescribeResponse describe_host();

}  // namespace hotlap::agent

#endif  // HOTLAP_HARNESS_AGENT_ENVIRONMENT_MESSAGE_H_
