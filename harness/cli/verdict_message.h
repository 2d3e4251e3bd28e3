// A verdict as results keep it.
#ifndef HOTLAP_HARNESS_CLI_VERDICT_MESSAGE_H_
#define HOTLAP_HARNESS_CLI_VERDICT_MESSAGE_H_

#include <string>

#include "harness/plan/verdict.h"
#include "harness/proto/results.pb.h"

namespace hotlap::cli {

hotlap::v1::Verdict verdict_message(const plan::Verdict& verdict, const std::string& arm);

}  // namespace hotlap::cli

#endif  // HOTLAP_HARNESS_CLI_VERDICT_MESSAGE_H_
