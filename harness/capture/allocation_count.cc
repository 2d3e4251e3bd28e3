// See allocation_count.h.
#include "harness/capture/allocation_count.h"

#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "harness/capture/known_allocations.h"
#include "harness/capture/unique_fd.h"

namespace hotlap::capture {
namespace {

namespace fs = std::filesystem;

constexpr char kKnown[] = "hotlap-known-allocations";
constexpr long kFewRounds = 10;
constexpr long kManyRounds = 1010;

// A program's file, as far as it matters here. 64-bit little-endian, as this build is.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path) : file_(path, std::ios::binary) {
    Elf64_Ehdr header{};
    is_elf_ = read(0, &header, sizeof header) && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
    is_native_ = is_elf_ && header.e_ident[EI_CLASS] == ELFCLASS64 &&
                 header.e_phentsize == sizeof(Elf64_Phdr);
    for (int i = 0; is_native_ && i < header.e_phnum; ++i) {
      Elf64_Phdr part{};
      if (!read(header.e_phoff + i * sizeof part, &part, sizeof part)) break;
      has_interpreter_ = has_interpreter_ || part.p_type == PT_INTERP;
      if (part.p_type == PT_NOTE) look_at_notes(part);
    }
  }

  bool is_elf() const { return is_elf_; }
  bool is_native() const { return is_native_; }
  bool has_interpreter() const { return has_interpreter_; }
  bool is_go() const { return is_go_; }

 private:
  bool read(uint64_t at, void* to, size_t bytes) {
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(at));
    file_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
    return file_.gcount() == static_cast<std::streamsize>(bytes);
  }

  // Go's linker leaves a note of its own.
  void look_at_notes(const Elf64_Phdr& part) {
    constexpr uint64_t kMostBytes = 4096;
    std::string notes(std::min<uint64_t>(part.p_filesz, kMostBytes), '\0');
    if (!read(part.p_offset, notes.data(), notes.size())) return;
    size_t at = 0;
    while (at + sizeof(Elf64_Nhdr) <= notes.size()) {
      Elf64_Nhdr note{};
      memcpy(&note, notes.data() + at, sizeof note);
      const auto whole = [](uint64_t bytes) { return (bytes + 3) & ~uint64_t{3}; };
      const uint64_t name = at + sizeof note;
      const uint64_t next = name + whole(note.n_namesz) + whole(note.n_descsz);
      if (note.n_namesz >= 2 && name + 2 <= notes.size() && notes.compare(name, 2, "Go") == 0 &&
          (note.n_namesz == 4 || note.n_namesz == 3)) {
        is_go_ = true;
      }
      if (next <= at) break;
      at = next;
    }
  }

  std::ifstream file_;
  bool is_elf_ = false;
  bool is_native_ = false;
  bool has_interpreter_ = false;
  bool is_go_ = false;
};

absl::Status run_known(const AllocationCounts& counts, const std::string& program, long rounds) {
  Variables variables;
  counts.add_to(variables);
  std::vector<std::string> environment;
  for (const auto& [name, value] : variables) environment.push_back(absl::StrCat(name, "=", value));
  std::string path = program;
  std::string calls = absl::StrCat(rounds);
  char* argv[] = {path.data(), calls.data(), nullptr};
  std::vector<char*> envp;
  for (std::string& one : environment) envp.push_back(one.data());
  envp.push_back(nullptr);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, path.c_str(), nullptr, nullptr, argv, envp.data());
  if (error != 0) return absl::ErrnoToStatus(error, absl::StrCat("cannot run ", program));
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(program, " failed with status ", status));
}

AllocationTotals operator-(const AllocationTotals& x, const AllocationTotals& y) {
  return {x.allocations - y.allocations, x.bytes - y.bytes, x.frees - y.frees};
}

}  // namespace

class AllocationCounts::Mapping {
 public:
  explicit Mapping(std::string path) : path_(std::move(path)) {}
  ~Mapping() {
    if (table_ != nullptr) munmap(table_, sizeof(AllocationTable));
    unlink(path_.c_str());
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  absl::Status map(const UniqueFd& fd) {
    if (ftruncate(fd.get(), sizeof(AllocationTable)) != 0) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot make room in ", path_));
    }
    void* memory =
        mmap(nullptr, sizeof(AllocationTable), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (memory == MAP_FAILED) return absl::ErrnoToStatus(errno, absl::StrCat("cannot map ", path_));
    table_ = static_cast<AllocationTable*>(memory);
    table_->magic = kAllocationMagic;
    return absl::OkStatus();
  }

  const AllocationTable& table() const { return *table_; }
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
  AllocationTable* table_ = nullptr;
};

absl::StatusOr<AllocationCounts> AllocationCounts::create(const std::string& directory) {
  AllocationCounts counts;
  auto library = find_beside(kAllocationLibrary);
  if (!library.ok()) return library.status();
  counts.library_ = *std::move(library);
  std::string path = absl::StrCat(directory, "/allocations-XXXXXX");
  const UniqueFd fd(mkostemp(path.data(), O_CLOEXEC));
  if (!fd.valid()) return absl::ErrnoToStatus(errno, absl::StrCat("cannot make ", path));
  std::error_code error;
  const fs::path canonical = fs::canonical(path, error);  // as a process's maps have it
  counts.mapping_ = std::make_shared<Mapping>(error ? path : canonical.string());
  const absl::Status mapped = counts.mapping_->map(fd);
  if (!mapped.ok()) return mapped;
  return counts;
}

void AllocationCounts::add_to(Variables& environment) const {
  add_preload(library_, environment);
  environment.emplace_back(kAllocationVariable, mapping_->path());
}

AllocationTotals AllocationCounts::read() const {
  AllocationTotals totals;
  for (const AllocationSlot& slot : mapping_->table().slots) {
    totals.allocations += static_cast<int64_t>(slot.allocations.load(std::memory_order_relaxed));
    totals.bytes += static_cast<int64_t>(slot.bytes.load(std::memory_order_relaxed));
    totals.frees += static_cast<int64_t>(slot.frees.load(std::memory_order_relaxed));
  }
  return totals;
}

absl::Status AllocationCounts::check(const std::vector<pid_t>& processes) const {
  for (const pid_t pid : processes) {
    const std::string program = absl::StrCat("/proc/", pid, "/exe");
    std::error_code ignored;
    const std::string name = fs::read_symlink(program, ignored).filename().string();
    if (name.empty()) continue;  // it has ended, or is about to
    std::string why = uncountable(program);
    if (why.empty() && !has_mapped(pid, library_)) {
      why = "did not load the counting library";
    }
    if (why.empty() && !has_mapped(pid, mapping_->path())) {
      why = "loaded the counting library and could not open its table";
    }
    if (!why.empty()) return absl::FailedPreconditionError(absl::StrCat(name, " ", why));
  }
  if (mapping_->table().bypassed.load(std::memory_order_relaxed) > 0) {
    return absl::FailedPreconditionError(
        "the program has a malloc of its own within it, which no library can stand before");
  }
  return absl::OkStatus();
}

std::string uncountable(const std::string& program) {
  const ElfFile file(program);
  if (!file.is_elf()) return "";
  if (!file.is_native()) return "is a program of another word size, which loads no library of ours";
  if (file.is_go()) return "is a Go program: its allocations do not go by malloc";
  if (!file.has_interpreter()) return "is linked statically: no library can be preloaded";
  struct stat status {};
  if (stat(program.c_str(), &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)) != 0) {
    return "runs with privileges of its file (setuid or setgid): the loader preloads nothing";
  }
  return "";
}

absl::Status check_allocation_counting(const std::string& directory) {
  const auto program = find_beside(kKnown);
  if (!program.ok()) return program.status();
  AllocationTotals counted[2];
  for (const auto& [index, rounds] : {std::pair(0, kFewRounds), std::pair(1, kManyRounds)}) {
    const auto counts = AllocationCounts::create(directory);
    if (!counts.ok()) return counts.status();
    const absl::Status ran = run_known(*counts, *program, rounds);
    if (!ran.ok()) return ran;
    counted[index] = counts->read();
  }
  const AllocationTotals found = counted[1] - counted[0];
  constexpr int64_t kRounds = kManyRounds - kFewRounds;
  const int64_t allocations = kKnownAllocations * kRounds;
  if (found.allocations == allocations && found.frees == kKnownFrees * kRounds &&
      found.bytes == allocations * static_cast<int64_t>(kKnownBytes)) {
    return absl::OkStatus();
  }
  return absl::DataLossError(absl::StrCat(
      "of ", allocations, " known allocations of ", kKnownBytes, " bytes each, ", found.allocations,
      " with ", found.bytes, " bytes were counted, and ", found.frees, " of ",
      kKnownFrees * kRounds, " frees: allocations are not counted"));
}

}  // namespace hotlap::capture
