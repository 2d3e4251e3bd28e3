// Scripts are run by the shells that are there; bash always is.
#include "harness/cli/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"

namespace hotlap::cli {
namespace {

using testing::HasSubstr;

OptionEntry option(const std::string& name, TakesValue takes_value) {
  OptionEntry entry;
  entry.names = {name};
  entry.takes_value = takes_value;
  entry.value_name = takes_value == TakesValue::kNo ? "" : "TEXT";
  entry.help = "it's [one]: of \"them\"";
  return entry;
}

CommandEntry program() {
  CommandEntry first;
  first.name = "alpha";
  first.summary = "doesn't do much";
  first.options = {option("--stage", TakesValue::kYes), option("--static", TakesValue::kNo),
                   option("--out", TakesValue::kYes)};
  CommandEntry second = first;
  second.name = "agent";
  second.options = {option("--listen", TakesValue::kYes)};
  CommandEntry program;
  program.name = "prog";
  program.commands = {first, second};
  program.options = {option("--version", TakesValue::kNo)};
  return program;
}

// What bash offers for a command line whose last word is being typed, in one line.
std::string offered(const std::string& words) {
  const std::string script =
      absl::StrCat(bash_completion(program()), "COMP_WORDS=(", words,
                   ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_prog\necho \"${COMPREPLY[*]}\"\n");
  const std::string path = testing::TempDir() + "hotlap-completion-XXXXXX";
  std::string name = path;
  const int fd = mkstemp(name.data());
  if (fd < 0) return "no temporary file";
  const std::unique_ptr<FILE, int (*)(FILE*)> file(fdopen(fd, "w"), fclose);
  fputs(script.c_str(), file.get());
  fflush(file.get());
  const std::unique_ptr<FILE, int (*)(FILE*)> bash(
      popen(absl::StrCat("bash --norc --noprofile ", name, " 2>&1").c_str(), "r"), pclose);
  std::string text;
  char buffer[4096];
  while (fgets(buffer, sizeof buffer, bash.get()) != nullptr) text += buffer;
  remove(name.c_str());
  return text;
}

TEST(BashCompletion, OffersCommandsThenTheirOptions) {
  EXPECT_EQ(offered("prog al"), "alpha\n");
  EXPECT_EQ(offered("prog a"), "alpha agent\n");
  EXPECT_EQ(offered("prog --v"), "--version\n");
  EXPECT_EQ(offered("prog alpha --sta"), "--stage --static\n");
  EXPECT_EQ(offered("prog agent --sta"), "\n");
  EXPECT_EQ(offered("prog agent --"), "--listen\n");
}

TEST(BashCompletion, AValueIsAFileAndNoOption) {
  EXPECT_EQ(offered("prog alpha --out /proc/self/exe"), "/proc/self/exe\n");
  EXPECT_EQ(offered("prog alpha --out --sta"), "\n");
  EXPECT_EQ(offered("prog alpha --static --sta"), "--stage --static\n");
}

TEST(ZshCompletion, QuotesWhatItsArgumentsWouldRead) {
  const std::string script = zsh_completion(program());
  EXPECT_THAT(script, testing::StartsWith("#compdef prog\n"));
  EXPECT_THAT(script, HasSubstr("'alpha:doesn'\\''t do much'"));
  EXPECT_THAT(script, HasSubstr("'(--stage)'--stage'[it'\\''s \\[one\\]\\: of \"them\"]:TEXT:_f"));
}

TEST(FishCompletion, TellsWhichOptionsTakeValues) {
  const std::string script = fish_completion(program());
  EXPECT_THAT(script, HasSubstr("-a alpha -d 'doesn\\'t do much'\n"));
  EXPECT_THAT(script, HasSubstr("'__fish_seen_subcommand_from alpha' -l stage -r -d "));
  EXPECT_THAT(script, HasSubstr("'__fish_seen_subcommand_from alpha' -l static -d "));
}

}  // namespace
}  // namespace hotlap::cli
