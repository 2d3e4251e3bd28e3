#include "harness/cli/man_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotlap::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

CommandEntry program() {
  OptionEntry option;
  option.names = {"-c", "--count"};
  option.value_name = "INT";
  option.takes_value = TakesValue::kYes;
  option.help = "how many\n.as one cannot \\say";
  CommandEntry command;
  command.name = "do";
  command.summary = "does it";
  command.examples = "prog do --count 3";
  command.options = {option};
  OptionEntry argument;
  argument.names = {"FILE"};
  argument.required = true;
  argument.repeated = true;
  command.arguments = {argument};
  CommandEntry program;
  program.name = "prog";
  program.summary = "tells";
  program.commands = {command};
  return program;
}

TEST(ManPages, OneForTheProgramAndOneForEachCommand) {
  const std::vector<ManPage> pages = man_pages(program(), "1.2");
  ASSERT_EQ(pages.size(), 2u);
  EXPECT_EQ(pages[0].file_name, "prog.1");
  EXPECT_EQ(pages[1].file_name, "prog-do.1");
  EXPECT_THAT(pages[0].text, HasSubstr(".SH COMMANDS\n.TP\n\\fBdo\\fR\ndoes it"));
  EXPECT_THAT(pages[0].text, HasSubstr(".BR prog\\-do (1)\n"));
  EXPECT_THAT(pages[1].text, HasSubstr("prog 1.2"));
  EXPECT_THAT(pages[1].text, HasSubstr("\\fBprog\\fR \\fBdo\\fR [\\fIOPTION\\fR...] \\fIFILE\\fR"));
  EXPECT_THAT(pages[1].text, HasSubstr("\\fB\\-c\\fR, \\fB\\-\\-count\\fR \\fIINT\\fR\nhow many"));
  EXPECT_THAT(pages[1].text, HasSubstr(".EX\nprog do \\-\\-count 3\n.EE\n"));
}

TEST(ManPages, CharactersBeyondAsciiAreNamed) {
  CommandEntry odd = program();
  odd.summary = "run-\u2026 costs \u00b5s, \U0001F600";
  EXPECT_THAT(man_pages(odd, "1").front().text,
              testing::HasSubstr("run\\-\\[u2026] costs \\[u00B5]s, \\[u1F600]"));
}

TEST(ManPages, NoTextBecomesARequestOrAnEscape) {
  const std::string page = man_pages(program(), "1.2")[1].text;
  EXPECT_THAT(page, HasSubstr("\n\\&.as one cannot \\esay"));
  EXPECT_THAT(page, Not(HasSubstr("\n.as")));
}

}  // namespace
}  // namespace hotlap::cli
