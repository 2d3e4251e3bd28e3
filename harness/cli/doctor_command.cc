// `hotlap doctor`: what this machine lets us measure, and the command that would enable the rest.
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "harness/cli/agent_process.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_code.h"
#include "harness/cli/interrupt.h"

namespace hotlap::cli {
namespace {

void print_text(const hotlap::v1::DescribeResponse& host) {
  const auto& environment = host.environment();
  printf("%s, %u CPUs, Linux %s, %s\n\n", environment.cpu_model().c_str(), environment.cpus(),
         environment.kernel().c_str(), environment.virtualization().c_str());
  for (const auto& capability : host.capabilities()) {
    printf("%s %-22s %s\n", capability.available() ? "ok " : "-- ", capability.name().c_str(),
           capability.detail().c_str());
    if (!capability.available() && !capability.remedy().empty()) {
      printf("   %-22s to enable: %s\n", "", capability.remedy().c_str());
    }
  }
}

void print_json(const hotlap::v1::DescribeResponse& host) {
  nlohmann::ordered_json object;
  const auto& environment = host.environment();
  object["schema"] = 1;
  object["cpu_model"] = environment.cpu_model();
  object["cpus"] = environment.cpus();
  object["kernel"] = environment.kernel();
  object["virtualization"] = environment.virtualization();
  object["capabilities"] = nlohmann::ordered_json::array();
  for (const auto& capability : host.capabilities()) {
    object["capabilities"].push_back({{"name", capability.name()},
                                      {"available", capability.available()},
                                      {"detail", capability.detail()},
                                      {"remedy", capability.remedy()}});
  }
  printf("%s\n", object.dump(2).c_str());
}

int run_doctor(bool json) {
  Interrupt interrupt;
  auto agent = AgentProcess::start();
  if (!agent.ok()) return fail(std::string(agent.status().message()));
  grpc::ClientContext context;
  Interrupt::Call call(interrupt, context);
  hotlap::v1::DescribeResponse host;
  const grpc::Status status = (*agent)->stub().Describe(&context, {}, &host);
  if (interrupt.raised()) return kExitInterrupted;
  if (!status.ok()) return fail(status.error_message());
  json ? print_json(host) : print_text(host);
  return kExitDone;
}

}  // namespace

void add_doctor_command(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("doctor", "tell what this machine lets us measure");
  command->footer("Example: hotlap doctor");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "print one JSON object");
  command->callback([json, &invocation] { invocation.exit_code = run_doctor(*json); });
}

}  // namespace hotlap::cli
