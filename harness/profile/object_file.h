// A program or library as its debug information tells of it: which source file an address was
// compiled from, and which line. By libdw, which also finds debug information kept apart by its
// build id. Opening costs milliseconds, a question some microseconds.
#ifndef HOTLAP_HARNESS_PROFILE_OBJECT_FILE_H_
#define HOTLAP_HARNESS_PROFILE_OBJECT_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace hotlap::profile {

struct SourceLine {
  std::string file;  // as the compiler named it, made absolute
  int line = 0;      // from 1

  friend auto operator<=>(const SourceLine&, const SourceLine&) = default;
};

struct CodeRange {
  uint64_t begin = 0;  // addresses as the file has them
  uint64_t end = 0;
};

class ObjectFile {
 public:
  // NOT_FOUND, INVALID_ARGUMENT: there is no such file, or it is no ELF file.
  static absl::StatusOr<std::unique_ptr<ObjectFile>> open(const std::string& path);
  ~ObjectFile();
  ObjectFile(const ObjectFile&) = delete;
  ObjectFile& operator=(const ObjectFile&) = delete;

  bool has_debug_information() const;
  bool has_section(const std::string& name) const;

  // Where the byte at `offset` of the file is in memory, by the file's own numbers; nothing where
  // it is not loaded.
  std::optional<uint64_t> address_of(uint64_t offset) const;

  // Where in the file the code of a function begins, by its name in a table of symbols.
  std::optional<uint64_t> offset_of(const std::string& function) const;

  // The reverse of address_of().
  std::optional<uint64_t> offset_at(uint64_t address) const;

  // The main source file of the compilation that made the code there; empty where not known.
  std::string compiled_from(uint64_t address) const;
  // The line that was compiled to the code there, of an inlined function its own.
  std::optional<SourceLine> line_of(uint64_t address) const;
  // The function there.
  std::optional<CodeRange> function_at(uint64_t address) const;

 private:
  struct Opened;
  explicit ObjectFile(std::unique_ptr<Opened> opened);
  std::unique_ptr<Opened> opened_;
};

}  // namespace hotlap::profile

#endif  // HOTLAP_HARNESS_PROFILE_OBJECT_FILE_H_
