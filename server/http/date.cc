// Calendar arithmetic on eras of 400 years, as in every proleptic Gregorian conversion.
#include "server/http/date.h"

#include <cstring>

namespace hotlap::server {
namespace {

constexpr char kDays[] = "ThuFriSatSunMonTueWed";  // 1970-01-01 was a Thursday
constexpr char kMonths[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
constexpr std::int64_t kDayS = 86400;

void two_digits(char* out, std::int64_t value) {
  out[0] = static_cast<char>('0' + value / 10);
  out[1] = static_cast<char>('0' + value % 10);
}

}  // namespace

void format_http_date(std::int64_t unix_s, char* out) {
  const std::int64_t day = unix_s / kDayS;
  const std::int64_t second = unix_s % kDayS;
  // Days are counted from 1 March of year 0, so that the leap day is the last of its year.
  const std::int64_t shifted = day + 719468;
  const std::int64_t era = shifted / 146097;
  const std::int64_t day_of_era = shifted % 146097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const std::int64_t day_of_month = day_of_year - (153 * month_from_march + 2) / 5 + 1;
  const std::int64_t month = month_from_march < 10 ? month_from_march + 2 : month_from_march - 10;
  const std::int64_t year = year_of_era + era * 400 + (month < 2 ? 1 : 0);

  // 29 bytes in the middle of a header line, no C string.
  std::memcpy(out,  // NOLINT(bugprone-not-null-terminated-result)
              "Thu, 01 Jan 1970 00:00:00 GMT", 29);
  std::memcpy(out, kDays + 3 * (day % 7), 3);
  two_digits(out + 5, day_of_month);
  std::memcpy(out + 8, kMonths + 3 * month, 3);
  two_digits(out + 12, year / 100);
  two_digits(out + 14, year % 100);
  two_digits(out + 17, second / 3600);
  two_digits(out + 20, second / 60 % 60);
  two_digits(out + 23, second % 60);
}

}  // namespace hotlap::server
