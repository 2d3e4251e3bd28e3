// Whole-server equivalence at scale: every case of the corpus to every pipeline of a covering
// array over all stages, compared byte for byte with what baseline answers. Strength 2 takes some
// seconds; HOTLAP_COVERING_STRENGTH=3 is for a night, or for a change to the seam.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "server/conformance/check.h"
#include "server/conformance/pipelines.h"
#include "server/conformance/server_process.h"

namespace hotlap::conformance {
namespace {

constexpr int kDefaultStrength = 2;
constexpr int kMaxFailures = 10;

int strength() {
  const char* const asked = std::getenv("HOTLAP_COVERING_STRENGTH");
  return asked == nullptr ? kDefaultStrength : std::atoi(asked);
}

std::vector<std::string> answers_of(const std::string& spec, std::string& error) {
  ServerProcess server(server_command(spec));
  std::vector<std::string> answers;
  error = server.error();
  if (!error.empty()) return answers;
  std::vector<Script> scripts;
  for (const Case& one : corpus()) scripts.push_back(script_for(one));
  const auto outcomes = run_exchange(server.endpoint(), scripts);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    answers.push_back(comparable(corpus()[i], outcomes[i]));
  }
  if (!server.running()) error = "it is gone: " + server.stderr_text();
  if (error.empty()) error = server.sanitizer_report();
  return answers;
}

TEST(Equivalence, EveryTupleOfVariantsAnswersAsBaseline) {
  ASSERT_TRUE(strength() == 2 || strength() == 3) << "HOTLAP_COVERING_STRENGTH is 2 or 3";
  std::string error;
  const std::vector<std::string> reference = answers_of("baseline", error);
  ASSERT_EQ(error, "");
  const CoveringPipelines covering = covering_pipelines(strength());
  RecordProperty("pipelines", static_cast<int>(covering.specs.size()));
  std::printf("%zu pipelines hold %llu tuples of strength %d; %llu are impossible here\n",
              covering.specs.size(), static_cast<unsigned long long>(covering.covered), strength(),
              static_cast<unsigned long long>(covering.impossible));
  int failures = 0;
  for (const std::string& spec : covering.specs) {
    const std::vector<std::string> answers = answers_of(spec, error);
    EXPECT_EQ(error, "") << spec;
    if (!error.empty() || failures > kMaxFailures) continue;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (answers[i] == reference[i] || ++failures > kMaxFailures) continue;
      ADD_FAILURE() << corpus()[i].name << " (HTTP.md " << corpus()[i].clause << ") to " << spec
                    << ": unlike baseline, " << describe_difference(reference[i], answers[i]);
    }
  }
  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace hotlap::conformance
