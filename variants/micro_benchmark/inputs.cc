#include "variants/micro_benchmark/inputs.h"

namespace hotlap::variants {
namespace {

constexpr std::size_t kHugeTargetBytes = 4000;
constexpr int kManyFields = 40;

std::string get(const std::string& target) { return "GET " + target + " HTTP/1.1"; }

std::string numbered_fields(int count) {
  constexpr int kSpread = 7919;  // a prime, so that values differ in length and digits
  std::string block;
  for (int i = 0; i < count; ++i) {
    block += "X-Field-" + std::to_string(i) + ": value " + std::to_string(i * kSpread) + "\r\n";
  }
  return block;
}

}  // namespace

std::vector<TextInput> request_line_inputs() {
  return {
      {"browser", get("/articles/2026/benchmarks?utm_source=feed&page=2")},
      {"curl", get("/hello")},
      {"long_target",
       get("/search/articles/2026?q=interleaved+benchmarks+of+http+servers&lang=en-GB&sort=-date"
           "&page=3&per_page=50&fields=title,author,abstract,published,updated,tags,citations"
           "&filter%5Btag%5D=performance&filter%5Bfrom%5D=2019-01-01&filter%5Bto%5D=2026-11-30"
           "&utm_source=newsletter&utm_medium=email&utm_campaign=2026-11&session="
           "0123456789abcdef0123456789abcdef&trace=4bf92f3577b34da6a3ce929d0e0e4736&v=12")},
      {"huge_target", get("/" + std::string(kHugeTargetBytes - 1, 'a'))},
  };
}

std::vector<TextInput> header_block_inputs() {
  return {
      {"browser",
       "Host: www.example.org\r\nConnection: keep-alive\r\nCache-Control: max-age=0\r\n"
       "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/120.0 "
       "Safari/537.36\r\n"
       "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"
       "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"
       "Referer: https://www.example.org/articles\r\nAccept-Encoding: gzip, deflate, br\r\n"
       "Accept-Language: en-GB,en;q=0.9\r\n"
       "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark; consent=1\r\n"},
      {"curl", "Host: 127.0.0.1:8080\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n"},
      {"forty_fields", "Host: a\r\n" + numbered_fields(kManyFields - 1)},
  };
}

}  // namespace hotlap::variants
