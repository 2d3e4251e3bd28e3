// The pipelines that whole-server tests run: every profile, every pipeline one variant away from
// baseline that this machine can run, and covering arrays over all stages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hotlap::conformance {

// Under thread sanitizer: those of several threads, and no others.
std::vector<std::string> pipelines_to_test();

// Pipelines in which every choice of variants of any `strength` stages occurs, impossible and
// unsupported ones left out and counted.
struct CoveringPipelines {
  std::vector<std::string> specs;
  std::uint64_t covered = 0;
  std::uint64_t impossible = 0;
};
CoveringPipelines covering_pipelines(int strength);

// Those that differ from baseline in how they wait and receive: every readiness variant with every
// dispatch of two threads, and those that report edges with every receive variant, as far as they
// are possible.
std::vector<std::string> waiting_pipelines();

// A spec as a GoogleTest name: the profile, or the one stage and variant in which it is not
// baseline.
std::string pipeline_test_name(const std::string& spec);

// The server's command line for a spec, with further flags.
std::vector<std::string> server_command(const std::string& spec,
                                        const std::vector<std::string>& flags = {});

}  // namespace hotlap::conformance
