// A program run to its end by the shell, for tests of command lines.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace hotlap::variants {

struct Ended {
  int code = -1;     // -1 where it could not be run or a signal ended it
  std::string text;  // what it wrote to standard output
};

inline Ended run_command(const std::string& command) {
  Ended ended;
  FILE* const output = popen(command.c_str(), "r");
  if (output == nullptr) return ended;
  for (int c = 0; (c = std::fgetc(output)) != EOF;) ended.text += static_cast<char>(c);
  const int status = pclose(output);
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ended;
}

}  // namespace hotlap::variants
