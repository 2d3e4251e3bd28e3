// libdw's frontend on a file that need not run; see object_file.h.
#include "harness/profile/object_file.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <unistd.h>

#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace hotlap::profile {
namespace {

const Dwfl_Callbacks& callbacks() {
  static const Dwfl_Callbacks offline = {.find_elf = dwfl_build_id_find_elf,
                                         .find_debuginfo = dwfl_standard_find_debuginfo,
                                         .section_address = dwfl_offline_section_address,
                                         .debuginfo_path = nullptr};
  return offline;
}

struct EndDwfl {
  void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
};

std::string absolute(const std::string& directory, const std::string& file) {
  const std::filesystem::path path(file);
  return (path.is_absolute() ? path : std::filesystem::path(directory) / path)
      .lexically_normal()
      .string();
}

std::string compilation_directory(Dwarf_Die* unit) {
  Dwarf_Attribute attribute;
  const char* directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
  return directory == nullptr ? "" : directory;
}

}  // namespace

struct ObjectFile::Opened {
  std::unique_ptr<Dwfl, EndDwfl> dwfl;
  Dwfl_Module* module = nullptr;
  Elf* elf = nullptr;
  GElf_Addr bias = 0;  // what libdw adds to the file's own addresses
  bool debug_information = false;
  std::vector<GElf_Phdr> loaded;
};

ObjectFile::ObjectFile(std::unique_ptr<Opened> opened) : opened_(std::move(opened)) {}
ObjectFile::~ObjectFile() = default;

absl::StatusOr<std::unique_ptr<ObjectFile>> ObjectFile::open(const std::string& path) {
  if (access(path.c_str(), R_OK) != 0) {
    return absl::NotFoundError(absl::StrCat(path, " cannot be read"));
  }
  auto opened = std::make_unique<Opened>();
  opened->dwfl.reset(dwfl_begin(&callbacks()));
  if (opened->dwfl == nullptr) return absl::InternalError(dwfl_errmsg(-1));
  opened->module = dwfl_report_offline(opened->dwfl.get(), path.c_str(), path.c_str(), -1);
  dwfl_report_end(opened->dwfl.get(), nullptr, nullptr);
  if (opened->module != nullptr) {
    opened->elf = dwfl_module_getelf(opened->module, &opened->bias);
  }
  if (opened->elf == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is no program: ", dwfl_errmsg(-1)));
  }
  size_t headers = 0;
  elf_getphdrnum(opened->elf, &headers);
  for (size_t i = 0; i < headers; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(opened->elf, static_cast<int>(i), &header) == nullptr) continue;
    if (header.p_type == PT_LOAD) opened->loaded.push_back(header);
  }
  Dwarf_Addr bias = 0;
  opened->debug_information = dwfl_module_getdwarf(opened->module, &bias) != nullptr;
  return std::unique_ptr<ObjectFile>(new ObjectFile(std::move(opened)));
}

bool ObjectFile::has_debug_information() const { return opened_->debug_information; }

bool ObjectFile::has_section(const std::string& name) const {
  size_t names = 0;
  if (elf_getshdrstrndx(opened_->elf, &names) != 0) return false;
  for (Elf_Scn* section = elf_nextscn(opened_->elf, nullptr); section != nullptr;
       section = elf_nextscn(opened_->elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* found = elf_strptr(opened_->elf, names, header.sh_name);
    if (found != nullptr && name == found) return true;
  }
  return false;
}

std::optional<uint64_t> ObjectFile::address_of(uint64_t offset) const {
  for (const GElf_Phdr& header : opened_->loaded) {
    if (offset >= header.p_offset && offset - header.p_offset < header.p_filesz) {
      return offset - header.p_offset + header.p_vaddr;
    }
  }
  return std::nullopt;
}

std::optional<uint64_t> ObjectFile::offset_at(uint64_t address) const {
  for (const GElf_Phdr& header : opened_->loaded) {
    if (address >= header.p_vaddr && address - header.p_vaddr < header.p_filesz) {
      return address - header.p_vaddr + header.p_offset;
    }
  }
  return std::nullopt;
}

std::optional<uint64_t> ObjectFile::offset_of(const std::string& function) const {
  for (Elf_Scn* section = elf_nextscn(opened_->elf, nullptr); section != nullptr;
       section = elf_nextscn(opened_->elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_entsize == 0) continue;
    if (header.sh_type != SHT_DYNSYM && header.sh_type != SHT_SYMTAB) continue;
    Elf_Data* symbols = elf_getdata(section, nullptr);
    for (size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(symbols, static_cast<int>(i), &symbol) == nullptr) break;
      if (symbol.st_shndx == SHN_UNDEF || GELF_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
      const char* name = elf_strptr(opened_->elf, header.sh_link, symbol.st_name);
      if (name != nullptr && function == name) return offset_at(symbol.st_value);
    }
  }
  return std::nullopt;
}

std::string ObjectFile::compiled_from(uint64_t address) const {
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = dwfl_module_addrdie(opened_->module, address + opened_->bias, &bias);
  if (unit == nullptr) return "";
  const char* name = dwarf_diename(unit);
  return name == nullptr ? "" : absolute(compilation_directory(unit), name);
}

std::optional<SourceLine> ObjectFile::line_of(uint64_t address) const {
  Dwfl_Line* line = dwfl_module_getsrc(opened_->module, address + opened_->bias);
  if (line == nullptr) return std::nullopt;
  int number = 0;
  const char* file = dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
  if (file == nullptr || number < 1) return std::nullopt;
  const char* directory = dwfl_line_comp_dir(line);
  return SourceLine{absolute(directory == nullptr ? "" : directory, file), number};
}

std::optional<CodeRange> ObjectFile::function_at(uint64_t address) const {
  GElf_Sym symbol;
  GElf_Off offset = 0;
  const char* name = dwfl_module_addrinfo(opened_->module, address + opened_->bias, &offset,
                                          &symbol, nullptr, nullptr, nullptr);
  if (name == nullptr || symbol.st_size == 0 || offset >= symbol.st_size) return std::nullopt;
  return CodeRange{address - offset, address - offset + symbol.st_size};
}

}  // namespace hotlap::profile
