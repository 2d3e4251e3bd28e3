// Field by field; see verdict_message.h.
#include "harness/cli/verdict_message.h"

namespace hotlap::cli {

hotlap::v1::Verdict verdict_message(const plan::Verdict& verdict, const std::string& arm) {
  hotlap::v1::Verdict message;
  message.set_metric(verdict.metric);
  message.set_unit(verdict.unit);
  message.set_better(verdict.better);
  message.set_arm(arm);
  if (verdict.a) message.set_a(*verdict.a);
  if (verdict.b) message.set_b(*verdict.b);
  if (verdict.estimate_percent) message.set_estimate_percent(*verdict.estimate_percent);
  if (verdict.interval_percent) {
    message.set_interval_low_percent(verdict.interval_percent->low);
    message.set_interval_high_percent(verdict.interval_percent->high);
  }
  if (verdict.estimate_absolute) message.set_estimate_absolute(*verdict.estimate_absolute);
  if (verdict.interval_absolute) {
    message.set_interval_low_absolute(verdict.interval_absolute->low);
    message.set_interval_high_absolute(verdict.interval_absolute->high);
  }
  if (verdict.p) message.set_p(*verdict.p);
  message.set_verdict(std::string(plan::word_name(verdict.word)));
  message.set_reason(verdict.reason);
  for (const std::string& flag : verdict.flags) message.add_flags(flag);
  if (verdict.resolution_percent) message.set_resolution_percent(*verdict.resolution_percent);
  if (verdict.rounds_to_decide) message.set_rounds_to_decide(*verdict.rounds_to_decide);
  message.set_primary(verdict.primary);
  message.set_rounds(verdict.rounds);
  message.set_gates(verdict.gates);
  return message;
}

}  // namespace hotlap::cli
