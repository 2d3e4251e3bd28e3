// The target 32 bytes at a time by three compares. Costs no allocation and no copy. What is left at
// the end is covered by a block that ends with the line and overlaps what was seen already, so that
// no byte outside of the line is read; a line shorter than a block goes by 16 bytes, then by one.
#include <immintrin.h>

#include <bit>
#include <cstdint>

#include "variants/request_line/one_pass.h"

namespace hotlap::variants {
namespace {

using namespace server;

constexpr std::ptrdiff_t kWide = 32;
constexpr std::ptrdiff_t kNarrow = 16;

// A bit for each byte that no target holds: up to the blank and from 0x80 on (negative as signed
// bytes), DEL, and `#`.
__attribute__((target("avx2"))) inline std::uint32_t others_of_32(const char* bytes) {
  const __m256i text = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
  const __m256i visible = _mm256_cmpgt_epi8(text, _mm256_set1_epi8(' '));
  const __m256i marks = _mm256_or_si256(_mm256_cmpeq_epi8(text, _mm256_set1_epi8(0x7f)),
                                        _mm256_cmpeq_epi8(text, _mm256_set1_epi8('#')));
  return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_andnot_si256(marks, visible)));
}

__attribute__((target("avx2"))) inline std::uint32_t others_of_16(const char* bytes) {
  const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  const __m128i visible = _mm_cmpgt_epi8(text, _mm_set1_epi8(' '));
  const __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8(0x7f)),
                                     _mm_cmpeq_epi8(text, _mm_set1_epi8('#')));
  return 0xffffu & ~static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_andnot_si128(marks, visible)));
}

// The first of [at, end) in a block that ends at `end` and was given as its bits.
inline const char* first_of_tail(std::uint32_t others, std::ptrdiff_t width, const char* at,
                                 const char* end) {
  const auto seen = static_cast<unsigned>(width - (end - at));
  others = others >> seen << seen;
  return others == 0 ? end : end - width + std::countr_zero(others);
}

__attribute__((target("avx2"))) const char* scan_target(const char* line, const char* at,
                                                        const char* end) {
  for (; end - at >= kWide; at += kWide) {
    const std::uint32_t others = others_of_32(at);
    if (others != 0) return at + std::countr_zero(others);
  }
  if (at == end) return end;
  if (end - line >= kWide) return first_of_tail(others_of_32(end - kWide), kWide, at, end);
  if (end - at >= kNarrow) {
    const std::uint32_t others = others_of_16(at);
    if (others != 0) return at + std::countr_zero(others);
    at += kNarrow;
    if (at == end) return end;
  }
  if (end - line >= kNarrow) return first_of_tail(others_of_16(end - kNarrow), kNarrow, at, end);
  while (at != end && has_class(*at, kTargetChar)) ++at;
  return at;
}

HttpStatus parse(std::string_view line, RequestLine& out) {
  return parse_in_one_pass(line, out, scan_target);
}

const char* supported() {
  return __builtin_cpu_supports("avx2") ? nullptr : "this processor has no AVX2";
}

}  // namespace

extern constinit const RequestLineStage request_line_avx2 = {
    .info = {.name = "avx2",
             .summary = "the target 32 bytes at a time by compares",
             .costs = "no allocation, no copy; 3 compares for 32 bytes of the target",
             .supported = supported},
    .parse = parse,
};

}  // namespace hotlap::variants
