#include "harness/cli/command_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace hotlap::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Parsed {
  std::string text;
  int number = 0;
  bool flag = false;
  std::vector<std::string> many;
};

TEST(CommandTree, HoldsWhatTheParserKnows) {
  CLI::App app{"tells one thing\nExample: prog do FILE"};
  app.name("prog");
  Parsed parsed;
  CLI::App* command = app.add_subcommand("do", "does it");
  command->footer("It takes its time,\nand says so.\nExamples:\n  prog do a\n  prog do b --now");
  command->add_option("FILE", parsed.text, "the file")->required();
  command->add_option("-n,--number", parsed.number, "how often");
  command->add_option("--many", parsed.many, "again and again");
  command->add_option("--perhaps", parsed.text, "with or without")->expected(0, 1);
  command->add_flag("--now", parsed.flag, "at once");
  command->add_flag("--secret", parsed.flag, "for nobody")->group("");
  app.add_subcommand("hidden", "for nobody")->group("");

  const CommandEntry tree = command_tree(app);
  EXPECT_EQ(tree.summary, "tells one thing");
  EXPECT_EQ(tree.examples, "prog do FILE");
  ASSERT_EQ(tree.commands.size(), 1u);
  const CommandEntry& entry = tree.commands[0];
  EXPECT_EQ(entry.details, "It takes its time, and says so.");
  EXPECT_EQ(entry.examples, "prog do a\nprog do b --now");
  ASSERT_EQ(entry.arguments.size(), 1u);
  EXPECT_THAT(entry.arguments[0].names, ElementsAre("FILE"));
  EXPECT_TRUE(entry.arguments[0].required);
  ASSERT_EQ(entry.options.size(), 5u) << "--help and what was declared, less what is hidden";
  EXPECT_THAT(entry.options[0].names, ElementsAre("-h", "--help"));
  EXPECT_THAT(entry.options[1].names, ElementsAre("-n", "--number"));
  EXPECT_EQ(entry.options[1].takes_value, TakesValue::kYes);
  EXPECT_EQ(entry.options[1].value_name, "INT");
  EXPECT_FALSE(entry.options[1].repeated);
  EXPECT_TRUE(entry.options[2].repeated);
  EXPECT_EQ(entry.options[3].takes_value, TakesValue::kOptionally);
  EXPECT_EQ(entry.options[4].takes_value, TakesValue::kNo);
  EXPECT_THAT(entry.options[4].value_name, IsEmpty());
}

}  // namespace
}  // namespace hotlap::cli
