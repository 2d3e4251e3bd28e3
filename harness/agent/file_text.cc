// By stdio: a stream of the standard library throws where what it reads is a directory.
#include "harness/agent/file_text.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace hotlap::agent {
namespace {

struct CloseFile {
  void operator()(FILE* file) const { fclose(file); }
};

}  // namespace

absl::StatusOr<std::string> read_file(const std::string& flag, const std::string& path) {
  const auto cannot = [&](int error) {
    return absl::NotFoundError(
        absl::StrCat(flag, " ", path, ": the file cannot be read: ", strerror(error)));
  };
  const std::unique_ptr<FILE, CloseFile> file(fopen(path.c_str(), "re"));
  if (file == nullptr) return cannot(errno);
  std::string text;
  char piece[65536];
  while (const size_t size = fread(piece, 1, sizeof piece, file.get())) text.append(piece, size);
  if (ferror(file.get()) != 0) return cannot(errno);
  return text;
}

}  // namespace hotlap::agent
