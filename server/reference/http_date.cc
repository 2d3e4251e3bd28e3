#include "server/reference/http_date.h"

#include <cstring>

namespace hotlap::reference {
namespace {

void two_digits(char* out, int value) {
  out[0] = static_cast<char>('0' + value / 10 % 10);
  out[1] = static_cast<char>('0' + value % 10);
}

}  // namespace

bool HttpDate::refresh() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (now.tv_sec == second_) return false;
  second_ = now.tv_sec;
  tm utc{};
  gmtime_r(&second_, &utc);
  // By hand: strftime would name days and months in the locale's language.
  std::memcpy(text_.data(), "ddd, 00 mmm 0000 00:00:00 GMT", kLength + 1);
  std::memcpy(text_.data(), &"SunMonTueWedThuFriSat"[utc.tm_wday * 3], 3);
  two_digits(&text_[5], utc.tm_mday);
  std::memcpy(&text_[8], &"JanFebMarAprMayJunJulAugSepOctNovDec"[utc.tm_mon * 3], 3);
  two_digits(&text_[12], (utc.tm_year + 1900) / 100);
  two_digits(&text_[14], (utc.tm_year + 1900) % 100);
  two_digits(&text_[17], utc.tm_hour);
  two_digits(&text_[20], utc.tm_min);
  two_digits(&text_[23], utc.tm_sec);
  return true;
}

}  // namespace hotlap::reference
