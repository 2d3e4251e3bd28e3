// Every experiment here parses, makes sense, and names pipelines that exist.
// tidy: allow test-beside: it tests the files of this folder
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "harness/agent/effective.h"
#include "harness/agent/setup.h"

namespace hotlap {
namespace {

TEST(Experiments, ParseAndResolve) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HOTLAP_EXPERIMENTS)) {
    if (entry.path().extension() != ".textproto") continue;
    SCOPED_TRACE(entry.path().string());
    ++files;
    std::ifstream file(entry.path());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    v1::Experiment experiment;
    ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &experiment));
    const auto effective = agent::effective_experiment(experiment);
    ASSERT_TRUE(effective.ok()) << effective.status();
    for (const auto& arm : effective->arms()) {
      if (!arm.target().has_pipeline()) continue;
      const auto resolved = agent::resolve_pipeline(arm.target().pipeline());
      EXPECT_TRUE(resolved.ok()) << arm.name() << ": " << resolved.status();
    }
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace hotlap
