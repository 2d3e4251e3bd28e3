// HTTP.md's clauses as cases: what the client sends, and what it must be answered. The table is
// corpus.txt, built in; its first lines describe its form. Conformance tests, contract tests,
// `hotlap verify` and the fuzzers' seeds all come from here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hotlap::conformance {

struct ExpectedReply {
  int status = 0;
  bool without_body = false;  // the answer to HEAD
  bool checks_body = false;
  std::string body;
  std::vector<std::pair<std::string, std::string>> fields;
  std::vector<std::string> absent_fields;
};

enum class Afterwards { keep, close, either };

struct Case {
  std::string name;
  int clause = 0;  // of HTTP.md
  bool quick = false;
  bool half_close = false;
  std::string bytes;
  std::vector<ExpectedReply> replies;
  Afterwards afterwards = Afterwards::keep;
};

// Cases, or the first error with its line.
struct ParsedCorpus {
  std::vector<Case> cases;
  std::string error;
};
ParsedCorpus parse_corpus(std::string_view text);

// The built-in table, parsed once. A test proves that it has no error.
std::span<const Case> corpus();

// Where a case is worth cutting in two: every place up to `max_exhaustive` bytes; in longer ones
// the neighbourhood of line ends, and evenly spread places. Ascending, never 0 or the length.
std::vector<size_t> split_points(std::string_view bytes, size_t max_exhaustive = 1024);

}  // namespace hotlap::conformance
