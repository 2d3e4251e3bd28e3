// What every variant of every stage states about itself. A variant is one constinit table of
// plain function pointers that begins with a VariantInfo; it costs one indirect call a use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hotlap::server {

struct Pipeline;

// Faults that a variant may declare. Tests skip exactly what they exempt, and assert the fault.
enum Exemption : unsigned {
  kExemptNone = 0,
  kExemptGrowing = 1u << 0,  // memory of a connection grows with its requests
  kExemptPselect = 1u << 1,  // at most 1,000 descriptors
};

// The argument after the colon of `stage=variant:argument`, as configure() understood it.
struct StageConfig {
  std::string argument;  // as written; empty when none was given
  std::uint64_t number = 0;
};

struct VariantInfo {
  const char* name;
  const char* summary;                // one line
  const char* costs;                  // syscalls, allocations, copies a request
  unsigned exemptions = kExemptNone;  // Exemption bits
  std::size_t state_size = 0;         // bytes of state; whose, the stage's header says
  std::size_t state_align = alignof(std::max_align_t);
  // Each of these returns null when all is well, else a text that lives for ever.
  // A null pointer means: takes no argument; runs everywhere; goes with everything.
  const char* (*configure)(std::string_view argument, StageConfig& config) = nullptr;
  const char* (*supported)() = nullptr;
  const char* (*valid_with)(const Pipeline& pipeline) = nullptr;
};

// The three questions with the null pointers resolved.
const char* configure_variant(const VariantInfo& info, std::string_view argument,
                              StageConfig& config);
const char* unsupported_reason(const VariantInfo& info);
const char* conflict_reason(const VariantInfo& info, const Pipeline& pipeline);

}  // namespace hotlap::server
