// See annotation.h.
#include "harness/profile/annotation.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "harness/profile/valid_utf8.h"

namespace hotlap::profile {
namespace {

using hotlap::v1::AnnotatedFunction;

// Lines without samples that are shown before and after one that has some.
constexpr int kNeighbours = 2;

// A line, or where there is none an instruction.
struct Place {
  SourceLine source;
  uint64_t address = 0;  // 0 of lines

  friend auto operator<=>(const Place&, const Place&) = default;
};

struct Hits {
  int64_t samples = 0;
  std::map<std::pair<std::string, uint64_t>, int64_t> by_address;  // path of the object, address
};
using Lines = std::map<Place, Hits>;

// Source files, each read once; a file that is not at hand has no lines.
class Sources {
 public:
  std::string text(const SourceLine& at) {
    auto [file, is_new] = files_.try_emplace(at.file);
    if (is_new) {
      std::ifstream stream(at.file);
      for (std::string line; std::getline(stream, line);) file->second.push_back(line);
    }
    const auto index = static_cast<size_t>(at.line - 1);
    return at.line >= 1 && index < file->second.size() ? file->second[index] : "";
  }

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

Lines lines_of(const Tally& arm, const FunctionKey& key, ObjectFiles& files) {
  Lines lines;
  const auto found = arm.places().find(key);
  if (found == arm.places().end()) return lines;
  for (const auto& [where, samples] : found->second) {
    const auto& [path, offset] = where;
    const ObjectFile* file = files.find(path);
    const auto address = file == nullptr ? std::nullopt : file->address_of(offset);
    const auto source = address ? file->line_of(*address) : std::nullopt;
    Place place;
    if (source) {
      place.source = *source;
    } else {
      place.address = address.value_or(offset);
    }
    Hits& hits = lines[place];
    hits.samples += samples;
    hits.by_address[{path, address.value_or(offset)}] += samples;
  }
  return lines;
}

// Whether any arm has samples of the function in a file that can be looked into.
bool can_be_annotated(const FunctionKey& key, const std::vector<const Tally*>& arms,
                      ObjectFiles& files) {
  for (const Tally* arm : arms) {
    const auto places = arm->places().find(key);
    if (places == arm->places().end()) continue;
    for (const auto& [where, samples] : places->second) {
      if (files.find(where.first) != nullptr) return key.function != kUnknownFunction;
    }
  }
  return false;
}

class Annotator {
 public:
  Annotator(const std::vector<const Tally*>& arms, ObjectFiles& files,
            const Disassembler& disassemble)
      : arms_(arms), files_(files), disassemble_(disassemble) {}

  std::vector<AnnotatedFunction> function(const FunctionKey& key) {
    std::vector<Lines> lines;
    for (const Tally* arm : arms_) lines.push_back(lines_of(*arm, key, files_));
    std::set<Place> shown;
    for (const Lines& arm : lines) {
      for (const auto& [place, hits] : arm) add_with_neighbours(place, shown);
    }
    std::vector<AnnotatedFunction> functions;
    for (const Lines& arm : lines) functions.push_back(message(key, arm, shown));
    return functions;
  }

 private:
  void add_with_neighbours(const Place& place, std::set<Place>& shown) {
    shown.insert(place);
    if (place.address != 0) return;
    for (int line = place.source.line - kNeighbours; line <= place.source.line + kNeighbours;
         ++line) {
      const SourceLine neighbour{place.source.file, line};
      if (!sources_.text(neighbour).empty()) shown.insert(Place{neighbour, 0});
    }
  }

  AnnotatedFunction message(const FunctionKey& key, const Lines& lines,
                            const std::set<Place>& shown) {
    AnnotatedFunction function;
    function.set_function(key.function);
    function.set_stage(key.stage);
    function.set_object(key.object);
    int64_t samples = 0;
    for (const Place& place : shown) {
      auto* line = function.add_lines();
      line->set_file(valid_utf8(shown_source(place.source.file)));
      line->set_line(static_cast<uint32_t>(place.source.line));
      line->set_text(valid_utf8(sources_.text(place.source)));
      const auto hits = lines.find(place);
      if (hits == lines.end()) continue;
      samples += hits->second.samples;
      line->set_samples(static_cast<uint64_t>(hits->second.samples));
      line->set_assembly(valid_utf8(hottest_instruction(hits->second)));
    }
    function.set_samples(static_cast<uint64_t>(samples));
    return function;
  }

  std::string hottest_instruction(const Hits& hits) {
    const auto hottest = std::max_element(
        hits.by_address.begin(), hits.by_address.end(),
        [](const auto& left, const auto& right) { return left.second < right.second; });
    const auto& [path, address] = hottest->first;
    const ObjectFile* file = files_.find(path);
    const auto range = file == nullptr ? std::nullopt : file->function_at(address);
    if (!range) return "";
    const auto key = std::make_tuple(path, range->begin, range->end);
    auto known = assembly_.find(key);
    if (known == assembly_.end()) {
      known = assembly_.emplace(key, disassemble_(path, *range)).first;
    }
    const auto instruction = known->second.find(address);
    return instruction == known->second.end() ? "" : instruction->second;
  }

  const std::vector<const Tally*>& arms_;
  ObjectFiles& files_;
  const Disassembler& disassemble_;
  Sources sources_;
  std::map<std::tuple<std::string, uint64_t, uint64_t>, Assembly> assembly_;
};

// One blank for any number, as objdump pads.
std::string squeezed(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t';
    if (!blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

}  // namespace

std::vector<std::vector<AnnotatedFunction>> annotate(const std::vector<hotlap::v1::Cost>& costs,
                                                     size_t most,
                                                     const std::vector<const Tally*>& arms,
                                                     ObjectFiles& files,
                                                     const Disassembler& disassemble) {
  std::vector<std::vector<AnnotatedFunction>> annotated(arms.size());
  Annotator annotator(arms, files, disassemble);
  for (const auto& cost : costs) {
    if (annotated.front().size() == most) break;
    const FunctionKey key{cost.stage(), cost.function(), cost.object()};
    if (!can_be_annotated(key, arms, files)) continue;
    auto functions = annotator.function(key);
    for (size_t arm = 0; arm < arms.size(); ++arm) {
      annotated[arm].push_back(std::move(functions[arm]));
    }
  }
  return annotated;
}

Assembly read_objdump(std::string_view text) {
  Assembly assembly;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(' ')));
    uint64_t address = 0;
    const auto [after, error] =
        std::from_chars(line.data(), line.data() + line.size(), address, 16);
    const auto taken = static_cast<size_t>(after - line.data());
    if (error != std::errc() || !line.substr(taken).starts_with(":\t")) continue;
    assembly.emplace(address, squeezed(line.substr(taken + 2)));
  }
  return assembly;
}

std::string shown_source(std::string_view path) {
  for (const std::string_view root : {"/variants/", "/server/"}) {
    const size_t at = path.rfind(root);
    if (at != std::string_view::npos) return std::string(path.substr(at + 1));
  }
  return std::string(path);
}

}  // namespace hotlap::profile
