// What the disassembly test must find, or it proves nothing: a call through a pointer within a loop
// over bytes, and one whose loop runs through a part that the compiler thinks unlikely.
#include <cstddef>

namespace hotlap::variants {

using Visit = bool (*)(char);

std::size_t planted_loop(const char* bytes, std::size_t size, Visit visit) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) count += visit(bytes[i]) ? 1 : 0;
  return count;
}

std::size_t planted_cold_loop(const char* bytes, std::size_t size, Visit visit) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (__builtin_expect(bytes[i] == '\r', 0)) count += visit(bytes[i]) ? 1 : 0;
  }
  return count;
}

}  // namespace hotlap::variants
