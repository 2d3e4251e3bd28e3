#include "server/conformance/corpus.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

namespace hotlap::conformance {

extern const std::string_view kCorpusText;

namespace {

constexpr size_t kMaxRepetitions = 16 * 1024 * 1024;

template <typename Number>
bool parse_number(std::string_view text, Number& out, int base = 10) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  return error == std::errc() && end == text.data() + text.size();
}

// The bytes that an escaped text stands for; nothing where an escape is wrong.
std::optional<std::string> unescape(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    size_t backslash = text.find('\\');
    out += text.substr(0, backslash);
    if (backslash == std::string_view::npos) break;
    text.remove_prefix(backslash + 1);
    if (text.empty()) return std::nullopt;
    char kind = text.front();
    text.remove_prefix(1);
    static constexpr std::string_view kKinds = "rnt0\\", kBytes("\r\n\t\0\\", 5);
    if (size_t at = kKinds.find(kind); at != std::string_view::npos) {
      out += kBytes[at];
    } else if (kind == 'x') {
      unsigned byte = 0;
      if (text.size() < 2 || !parse_number(text.substr(0, 2), byte, 16)) return std::nullopt;
      out += static_cast<char>(byte);
      text.remove_prefix(2);
    } else if (kind == '{') {
      size_t star = text.find('*'), end = text.find("\\}");
      size_t count = 0;
      if (end == std::string_view::npos || star > end ||
          !parse_number(text.substr(0, star), count)) {
        return std::nullopt;
      }
      auto unit = unescape(text.substr(star + 1, end - star - 1));
      if (!unit || count * unit->size() > kMaxRepetitions) return std::nullopt;
      out.reserve(out.size() + count * unit->size());
      if (unit->size() == 1) {
        out.append(count, unit->front());
      } else {
        for (size_t i = 0; i < count; ++i) out += *unit;
      }
      text.remove_prefix(end + 2);
    } else {
      return std::nullopt;
    }
  }
  return out;
}

std::string_view take_word(std::string_view& line) {
  size_t space = line.find(' ');
  std::string_view word = line.substr(0, space);
  line.remove_prefix(space == std::string_view::npos ? line.size() : space + 1);
  return word;
}

class Parser {
 public:
  ParsedCorpus parse(std::string_view text) {
    for (int number = 1; !text.empty(); ++number) {
      size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (!take_line(line)) return failed("line " + std::to_string(number), error_);
    }
    if (const char* missing = missing_in_last()) return failed("the last case", missing);
    return std::move(parsed_);
  }

 private:
  static ParsedCorpus failed(const std::string& where, const std::string& what) {
    return {{}, "corpus: " + where + ": " + what};
  }

  const char* missing_in_last() const {
    if (parsed_.cases.empty()) return nullptr;
    if (parsed_.cases.back().replies.empty()) return "has no 'expect'";
    if (parsed_.cases.back().bytes.empty()) return "sends no bytes";
    return nullptr;
  }

  bool fail(const char* what) {
    error_ = what;
    return false;
  }

  bool take_line(std::string_view line) {
    if (line.empty() || line[0] == '#') return true;
    std::string_view rest = line;
    std::string_view word = take_word(rest);
    if (word == "clause") {
      return parse_number(rest, clause_) || fail("'clause' wants a number");
    }
    if (word == "case") return begin_case(rest);
    if (parsed_.cases.empty()) return fail("comes before the first 'case'");
    Case& current = parsed_.cases.back();
    if (word == "quick") return current.quick = true;
    if (word == "half-close") return current.half_close = true;
    if (word == "expect") return take_expect(rest);
    if (word == "body" || word == "header" || word == "absent") return take_check(word, rest);
    if (word == ">" || word == "|") {
      auto bytes = unescape(rest);
      if (!bytes) return fail("has a wrong escape");
      current.bytes += *bytes;
      if (word == ">") current.bytes += "\r\n";
      return true;
    }
    return fail("begins with an unknown word");
  }

  bool begin_case(std::string_view name) {
    if (const char* missing = missing_in_last()) return fail(missing);
    if (!names_.insert(std::string(name)).second) return fail("repeats a name");
    parsed_.cases.emplace_back();
    parsed_.cases.back().name = name;
    parsed_.cases.back().clause = clause_;
    return true;
  }

  bool take_expect(std::string_view rest) {
    Case& current = parsed_.cases.back();
    while (!rest.empty()) {
      std::string_view word = take_word(rest);
      if (rest.empty()) {
        if (word == "keep") {
          current.afterwards = Afterwards::keep;
        } else if (word == "close") {
          current.afterwards = Afterwards::close;
        } else if (word == "either") {
          current.afterwards = Afterwards::either;
        } else {
          return fail("'expect' ends in keep, close or either");
        }
        return !current.replies.empty() || fail("'expect' wants a status");
      }
      ExpectedReply reply;
      if (word.ends_with("/head")) {
        reply.without_body = true;
        word.remove_suffix(5);
      }
      if (!parse_number(word, reply.status) || reply.status < 100 || reply.status > 599) {
        return fail("'expect' wants statuses");
      }
      current.replies.push_back(std::move(reply));
    }
    return fail("'expect' wants statuses, then keep, close or either");
  }

  bool take_check(std::string_view word, std::string_view rest) {
    Case& current = parsed_.cases.back();
    size_t nth = 0;
    if (!parse_number(take_word(rest), nth) || nth < 1 || nth > current.replies.size()) {
      return fail("names a reply that is not expected");
    }
    ExpectedReply& reply = current.replies[nth - 1];
    auto text = unescape(rest);
    if (!text) return fail("has a wrong escape");
    if (word == "body") {
      reply.checks_body = true;
      reply.body = *text;
    } else if (word == "absent") {
      reply.absent_fields.push_back(*text);
    } else {
      size_t colon = text->find(": ");
      if (colon == std::string::npos) return fail("wants NAME: VALUE");
      reply.fields.emplace_back(text->substr(0, colon), text->substr(colon + 2));
    }
    return true;
  }

  ParsedCorpus parsed_;
  std::set<std::string> names_;
  int clause_ = 0;
  std::string error_;
};

}  // namespace

ParsedCorpus parse_corpus(std::string_view text) { return Parser().parse(text); }

std::span<const Case> corpus() {
  static const ParsedCorpus parsed = parse_corpus(kCorpusText);
  return parsed.cases;
}

std::vector<size_t> split_points(std::string_view bytes, size_t max_exhaustive) {
  constexpr size_t kAtLineEnds = 48, kSpread = 16;
  std::set<size_t> points;
  if (bytes.size() <= max_exhaustive) {
    for (size_t at = 1; at < bytes.size(); ++at) points.insert(at);
  } else {
    for (size_t at = 0; at < bytes.size() && points.size() < kAtLineEnds; ++at) {
      if (bytes[at] != '\r' && bytes[at] != '\n') continue;
      if (at > 0) points.insert(at);
      if (at + 1 < bytes.size()) points.insert(at + 1);
    }
    for (size_t i = 1; i <= kSpread; ++i) points.insert(i * (bytes.size() - 1) / kSpread);
  }
  return {points.begin(), points.end()};
}

}  // namespace hotlap::conformance
