// The names of CLI11 that headers need. Reading all of it takes seconds: only the files that
// declare options include it.
#ifndef HOTLAP_HARNESS_CLI_CLI11_H_
#define HOTLAP_HARNESS_CLI_CLI11_H_

namespace CLI {
class App;
class Option;
}  // namespace CLI

#endif  // HOTLAP_HARNESS_CLI_CLI11_H_
