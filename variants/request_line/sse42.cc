// The target 16 bytes at a time by PCMPISTRI, which tells the first byte outside of two ranges: the
// way of picohttpparser. Costs no allocation, no copy, and one such instruction for 16 bytes. What
// is left at the end is read again from 16 bytes before it, or from a copy where the whole line is
// shorter, so that no byte outside of the line is touched.
#include <nmmintrin.h>

#include <bit>
#include <cstring>

#include "variants/request_line/one_pass.h"

namespace hotlap::variants {
namespace {

using namespace server;

constexpr std::ptrdiff_t kStep = 16;
// `!` to `"` and `$` to `~`: visible ASCII but `#`. A zero ends the ranges; one in the line ends
// the text, and so counts as outside of them.
constexpr char kRanges[kStep] = {'!', '"', '$', '~'};
static_assert(has_class('!', kTargetChar) && has_class('"', kTargetChar) &&
              has_class('$', kTargetChar) && has_class('~', kTargetChar) &&
              !has_class('#', kTargetChar) && !has_class(' ', kTargetChar));

constexpr int kRules = _SIDD_UBYTE_OPS | _SIDD_CMP_RANGES | _SIDD_NEGATIVE_POLARITY;

__attribute__((target("sse4.2"))) inline __m128i load(const char* bytes) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}

// The first of [at, end), fewer than 16 bytes, that no target holds.
__attribute__((target("sse4.2"))) inline const char* scan_tail(__m128i ranges, const char* line,
                                                               const char* at, const char* end) {
  if (end - line >= kStep) {
    // No zero stands before `at`, so that the mask is good there too; its bits are shifted out.
    const __m128i mask = _mm_cmpistrm(ranges, load(end - kStep), kRules | _SIDD_BIT_MASK);
    const auto others = static_cast<unsigned>(_mm_cvtsi128_si32(mask)) >> (kStep - (end - at));
    return others == 0 ? end : at + std::countr_zero(others);
  }
  char copy[kStep] = {};
  std::memcpy(copy, at, static_cast<std::size_t>(end - at));
  return at + _mm_cmpistri(ranges, load(copy), kRules | _SIDD_LEAST_SIGNIFICANT);
}

__attribute__((target("sse4.2"))) const char* scan_target(const char* line, const char* at,
                                                          const char* end) {
  const __m128i ranges = load(kRanges);
  for (; end - at >= kStep; at += kStep) {
    const int count = _mm_cmpistri(ranges, load(at), kRules | _SIDD_LEAST_SIGNIFICANT);
    if (count != kStep) return at + count;
  }
  return at == end ? end : scan_tail(ranges, line, at, end);
}

HttpStatus parse(std::string_view line, RequestLine& out) {
  return parse_in_one_pass(line, out, scan_target);
}

const char* supported() {
  return __builtin_cpu_supports("sse4.2") ? nullptr : "this processor has no SSE 4.2";
}

}  // namespace

extern constinit const RequestLineStage request_line_sse42 = {
    .info = {.name = "sse42",
             .summary = "the target 16 bytes at a time by PCMPISTRI",
             .costs = "no allocation, no copy; one PCMPISTRI for 16 bytes of the target",
             .supported = supported},
    .parse = parse,
};

}  // namespace hotlap::variants
