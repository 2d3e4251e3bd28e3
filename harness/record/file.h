// Writing files so that a full disk is an error that says so, and a reader never meets half a file.
#ifndef HOTLAP_HARNESS_RECORD_FILE_H_
#define HOTLAP_HARNESS_RECORD_FILE_H_

#include <filesystem>
#include <string>

#include "absl/status/status.h"

namespace hotlap::record {

// Makes a run's directory and its parents. ALREADY_EXISTS when it is there and not empty.
absl::Status make_run_directory(const std::filesystem::path& path);

// Opens with `flags` (O_APPEND, or O_CREAT | O_TRUNC) and writes all of it.
absl::Status write_file(const std::filesystem::path& path, int flags, const std::string& text);

// Written aside, then renamed.
absl::Status replace_file(const std::filesystem::path& path, const std::string& text);

}  // namespace hotlap::record

#endif  // HOTLAP_HARNESS_RECORD_FILE_H_
