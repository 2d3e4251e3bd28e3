// Fields of a log line; see access_log.h. Apache and nginx escape differently (\" and \x22); both
// are undone.
#include "harness/load/access_log.h"

#include <array>
#include <optional>

#include "harness/load/http_text.h"

namespace hotlap::load {
namespace {

constexpr std::size_t kTimeSize = std::string_view("10/Oct/2000:13:55:36 -0700").size();

// Of at most nine digits: no field that is read here has more.
std::optional<int> number(std::string_view text) {
  if (text.empty() || text.size() > 9) return std::nullopt;
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

// Days since 1970 of a date in the proleptic Gregorian calendar (Hinnant, "chrono-compatible
// low-level date algorithms").
std::int64_t days_from_civil(int year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  const int era = year / 400;
  const int year_of_era = year - era * 400;
  const int day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return std::int64_t{era} * 146097 + day_of_era - 719468;
}

int month_of(std::string_view name) {
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  for (std::size_t i = 0; i < kMonths.size(); ++i) {
    if (kMonths[i] == name) return static_cast<int>(i) + 1;
  }
  return 0;
}

// Takes the time in brackets, and all before it, off `line`. Users have names with brackets too.
bool take_time(std::string_view& line, std::int64_t& unix_s) {
  for (std::size_t at = line.find('['); at != std::string_view::npos; at = line.find('[', at + 1)) {
    if (line.size() < at + kTimeSize + 2 || line[at + kTimeSize + 1] != ']') continue;
    if (!parse_log_time(line.substr(at + 1, kTimeSize), unix_s)) continue;
    line.remove_prefix(at + kTimeSize + 2);
    return true;
  }
  return false;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char small = lower(c);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

// Takes what stands in quotes off `line`, escapes undone. False without a quote at either end.
bool take_quoted(std::string_view& line, std::string& text) {
  text.clear();
  if (line.empty() || line.front() != '"') return false;
  for (std::size_t at = 1; at < line.size(); ++at) {
    const char c = line[at];
    if (c == '"') {
      line.remove_prefix(at + 1);
      return true;
    }
    if (c != '\\' || at + 1 == line.size()) {
      text += c;
      continue;
    }
    const char escaped = line[++at];
    const bool hex = escaped == 'x' && at + 2 < line.size() && hex_digit(line[at + 1]) >= 0 &&
                     hex_digit(line[at + 2]) >= 0;
    if (hex) {
      text += static_cast<char>(hex_digit(line[at + 1]) * 16 + hex_digit(line[at + 2]));
      at += 2;
    } else if (escaped == '"' || escaped == '\\') {
      text += escaped;
    } else if (escaped == 'n' || escaped == 'r' || escaped == 't' || escaped == 'b' ||
               escaped == 'v' || escaped == 'f') {
      text += '\n';  // which of them does not matter: none stands in a request line
    } else {
      text += '\\';
      text += escaped;
    }
  }
  return false;
}

bool take_space(std::string_view& line) {
  if (line.empty() || line.front() != ' ') return false;
  line.remove_prefix(1);
  return true;
}

std::string_view take_word(std::string_view& line) {
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

// "GET /x HTTP/1.1". Without a version it is HTTP/0.9, which has no status and no header.
bool split_request(std::string_view text, LoggedRequest& request) {
  const std::size_t first = text.find(' ');
  const std::size_t last = text.rfind(' ');
  if (first == std::string_view::npos || last == first) return false;
  const std::string_view method = text.substr(0, first);
  const std::string_view target = text.substr(first + 1, last - first - 1);
  if (!text.substr(last + 1).starts_with("HTTP/") || !is_token(method) || !is_target(target)) {
    return false;
  }
  request.method = method;
  request.target = target;
  return true;
}

}  // namespace

bool parse_log_time(std::string_view text, std::int64_t& unix_s) {
  if (text.size() != kTimeSize) return false;
  if (text[2] != '/' || text[6] != '/' || text[11] != ':' || text[14] != ':' || text[17] != ':' ||
      text[20] != ' ' || (text[21] != '+' && text[21] != '-')) {
    return false;
  }
  const auto day = number(text.substr(0, 2));
  const int month = month_of(text.substr(3, 3));
  const auto year = number(text.substr(7, 4));
  const auto hour = number(text.substr(12, 2));
  const auto minute = number(text.substr(15, 2));
  const auto second = number(text.substr(18, 2));
  const auto zone_hours = number(text.substr(22, 2));
  const auto zone_minutes = number(text.substr(24, 2));
  if (!day || month == 0 || !year || !hour || !minute || !second || !zone_hours || !zone_minutes) {
    return false;
  }
  // 60 is a leap second.
  if (*day < 1 || *day > 31 || *hour > 23 || *minute > 59 || *second > 60 || *zone_minutes > 59) {
    return false;
  }
  const int zone_s = (*zone_hours * 60 + *zone_minutes) * 60 * (text[21] == '-' ? -1 : 1);
  unix_s =
      days_from_civil(*year, month, *day) * 86400 + (*hour * 60 + *minute) * 60 + *second - zone_s;
  return true;
}

LineKind parse_log_line(std::string_view line, LoggedRequest& request, std::string_view& fault) {
  fault = {};
  if (!take_time(line, request.unix_s)) {
    fault = "no time such as [10/Oct/2000:13:55:36 -0700]";
    return LineKind::kBad;
  }
  std::string text;
  if (!take_space(line) || !take_quoted(line, text)) {
    fault = "no request in quotes behind the time";
    return LineKind::kBad;
  }
  if (!take_space(line)) {
    fault = "no status behind the request";
    return LineKind::kBad;
  }
  const std::string_view status = take_word(line);
  const auto code = status == "-" ? std::optional<int>(0) : number(status);
  if (status.size() > 3 || !code || (*code != 0 && (*code < 100 || *code > 999))) {
    fault = "a status that is neither three digits nor -";
    return LineKind::kBad;
  }
  request.status = *code;
  const std::string_view bytes = take_space(line) ? take_word(line) : std::string_view();
  if (bytes != "-" && (bytes.empty() || bytes.find_first_not_of("0123456789") != bytes.npos)) {
    fault = "a size that is neither a number nor -";
    return LineKind::kBad;
  }
  return split_request(text, request) ? LineKind::kRequest : LineKind::kNoRequest;
}

}  // namespace hotlap::load
