// Facts and probes to messages; see environment_message.h.
#include "harness/agent/environment_message.h"

#include <google/protobuf/stubs/common.h>
#include <grpcpp/grpcpp.h>

#include <string>

#include "build_revision.h"
#include "harness/capture/environment.h"

namespace hotlap::agent {

hotlap::v1::DescribeResponse describe_host() {
  hotlap::v1::DescribeResponse response;
  const capture::MachineFacts facts = capture::read_machine_facts();
  auto& environment = *response.mutable_environment();
  environment.set_cpu_model(facts.cpu_model);
  environment.set_cpus(static_cast<uint32_t>(facts.cpus));
  environment.set_kernel(facts.kernel);
  environment.set_governor(facts.governor);
  environment.set_mitigations(facts.mitigations);
  environment.set_clocksource(facts.clocksource);
  environment.set_virtualization(facts.virtualization);
  environment.set_congestion_control(facts.congestion_control);
  environment.set_compiler(kCompiler);
  environment.set_compiler_flags(kCompilerFlags);
  environment.set_git_revision(kGitRevision);
  environment.set_git_dirty(kGitDirty);
  auto& versions = *environment.mutable_versions();
  versions["grpc"] = grpc::Version();
  versions["protobuf"] = google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION);
  for (const capture::Probe& probe : capture::probe_environment()) {
    auto* capability = response.add_capabilities();
    capability->set_name(probe.name);
    capability->set_available(probe.available);
    capability->set_detail(probe.detail);
    capability->set_remedy(probe.remedy);
    *environment.add_findings() = *capability;
    if (!probe.available) (*environment.mutable_unavailable())[probe.name] = probe.detail;
  }
  return response;
}

}  // namespace hotlap::agent
