// Writes the corpus as libFuzzer seeds: hotlap-fuzz-seeds request_head|body_decoder|router
// DIRECTORY. Beside the directory, DIRECTORY.list names its files for -seed_inputs=@LIST.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "server/conformance/corpus.h"

namespace hotlap::conformance {
namespace {

constexpr size_t kMaxSeedBytes = 4096;

// What follows the first head, behind the byte that tells the fuzzer how the body is framed.
std::string body_seed(const Case& one) {
  size_t end = one.bytes.find("\r\n\r\n");
  if (end == std::string::npos || end + 4 == one.bytes.size()) return "";
  bool chunked = one.bytes.substr(0, end).find("hunked") != std::string::npos;
  return (chunked ? "\x01" : "\x02") + one.bytes.substr(end + 4);
}

// The target of the first line behind a table that has every kind of pattern.
std::string router_seed(const Case& one) {
  const std::string line = one.bytes.substr(0, one.bytes.find("\r\n"));
  const size_t begin = line.find(' ');
  if (begin == std::string::npos) return "";
  const std::string target = line.substr(begin + 1, line.find(' ', begin + 1) - begin - 1);
  return "\x01/hello\n\x04/echo\n\x03/file/:name\n\x01/file/*\n\x05/:a/:b\n\n" +
         target.substr(0, target.find('?'));
}

std::string seed_of(std::string_view kind, const Case& one) {
  if (kind == "body_decoder") return body_seed(one);
  return kind == "router" ? router_seed(one) : one.bytes;
}

int write_seeds(std::string_view kind, const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  size_t count = 0;
  std::ofstream list(directory.string() + ".list");
  for (const Case& one : corpus()) {
    const std::string seed = seed_of(kind, one);
    if (seed.empty() || seed.size() > kMaxSeedBytes) continue;
    std::ofstream file(directory / one.name, std::ios::binary);
    if (!file.write(seed.data(), static_cast<std::streamsize>(seed.size())).flush()) {
      std::fprintf(stderr, "hotlap-fuzz-seeds: cannot write into %s; is it a writable directory?\n",
                   directory.c_str());
      return 3;
    }
    list << (count++ == 0 ? "" : ",") << (directory / one.name).string();
  }
  return 0;
}

}  // namespace
}  // namespace hotlap::conformance

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: hotlap-fuzz-seeds request_head|body_decoder|router DIRECTORY\n");
    return 3;
  }
  return hotlap::conformance::write_seeds(argv[1], argv[2]);
}
