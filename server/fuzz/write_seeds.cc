// Writes the corpus as libFuzzer seeds: hotlap-fuzz-seeds request_head|body_decoder DIRECTORY.
// Beside the directory, DIRECTORY.list names its files for -seed_inputs=@LIST.
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

int write_seeds(std::string_view kind, const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  size_t count = 0;
  std::ofstream list(directory.string() + ".list");
  for (const Case& one : corpus()) {
    std::string seed = kind == "body_decoder" ? body_seed(one) : one.bytes;
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
    std::fprintf(stderr, "usage: hotlap-fuzz-seeds request_head|body_decoder DIRECTORY\n");
    return 3;
  }
  return hotlap::conformance::write_seeds(argv[1], argv[2]);
}
