// Any bytes as the beginning of a connection. The scanner must say the same however they are split,
// and every request_line and header_map variant the same as the first one listed. Inputs are copied
// to blocks of their very size, so that the address sanitizer sees a byte read too far.
#include <cstdint>
#include <memory>
#include <string_view>

#include "server/fuzz/demand.h"
#include "server/http/scanner.h"
#include "variants/contract/owned_map.h"
#include "variants/registry.h"

namespace hotlap::fuzz {
namespace {

using namespace server;
using variants::OwnedMap;
using variants::variants_of;

class Exact {
 public:
  explicit Exact(std::string_view bytes) : bytes_(new char[bytes.size()]), size_(bytes.size()) {
    if (size_ > 0) std::memcpy(bytes_.get(), bytes.data(), size_);
  }
  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<char[]> bytes_;
  size_t size_;
};

struct Scanned {
  HeadScanner::State state;
  HttpStatus status;
  size_t taken, head_offset, line_length;
};

Scanned scan(std::string_view bytes, size_t step) {
  HeadScanner scanner{HeadLimits{}};
  auto state = HeadScanner::State::kMore;
  while (!bytes.empty() && state == HeadScanner::State::kMore) {
    const size_t size = std::min(step, bytes.size());
    state = scanner.scan(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return {state, scanner.status(), scanner.taken(), scanner.head_offset(), scanner.line_length()};
}

Scanned scan_every_way(std::string_view bytes) {
  const Scanned whole = scan(bytes, bytes.size() + 1);
  for (size_t step : {1, 2, 7, 16, 17}) {
    const Scanned split = scan(bytes, step);
    demand(split.state == whole.state && split.status == whole.status, "scanner: other verdict");
    if (whole.state != HeadScanner::State::kComplete) continue;
    demand(split.taken == whole.taken && split.head_offset == whole.head_offset &&
               split.line_length == whole.line_length,
           "scanner: other head");
  }
  return whole;
}

void compare_request_lines(std::string_view text) {
  if (text.size() > kMaxRequestLineBytes) return;
  const Exact line(text);
  RequestLine want;
  const HttpStatus expected = variants_of<RequestLineStage>().front()->parse(line.view(), want);
  for (const RequestLineStage* stage : variants_of<RequestLineStage>()) {
    if (unsupported_reason(stage->info) != nullptr) continue;
    RequestLine got;
    demand(stage->parse(line.view(), got) == expected, "request_line: other verdict",
           stage->info.name);
    if (expected != kAccepted) continue;
    demand(got.method == want.method && got.target == want.target && got.minor == want.minor,
           "request_line: other fields", stage->info.name);
  }
}

bool same_verdict(const FramingFields& a, const FramingFields& b) {
  for (int minor : {0, 1}) {
    const Framing x = judge_framing(a, minor), y = judge_framing(b, minor);
    if (x.status != y.status || x.chunked != y.chunked || x.content_length != y.content_length ||
        x.keep_alive != y.keep_alive || x.expect_continue != y.expect_continue) {
      return false;
    }
  }
  return true;
}

// The block is gone before the map is asked: what it holds must not refer to what was parsed.
HttpStatus parse_and_forget(OwnedMap& map, std::string_view text) {
  const Exact block(text);
  return map.parse(block.view());
}

void compare_header_maps(std::string_view block) {
  OwnedMap want(*variants_of<HeaderMapStage>().front());
  const HttpStatus expected = parse_and_forget(want, block);
  const auto wanted = want.fields();
  for (const HeaderMapStage* stage : variants_of<HeaderMapStage>()) {
    if (unsupported_reason(stage->info) != nullptr) continue;
    const char* const name = stage->info.name;
    OwnedMap got(*stage);
    demand(parse_and_forget(got, block) == expected, "header_map: other verdict", name);
    if (expected != kAccepted) continue;
    demand(same_verdict(got.framing, want.framing), "header_map: other framing", name);
    const auto fields = got.fields();
    demand(fields.size() == wanted.size(), "header_map: other count", name);
    for (size_t i = 0; i < fields.size(); ++i) {
      demand(fields[i].name == wanted[i].name && fields[i].value == wanted[i].value,
             "header_map: other field", name);
      std::string_view first, wanted_first;
      demand(got.first(fields[i].name, first) && want.first(fields[i].name, wanted_first) &&
                 first == wanted_first,
             "header_map: other first field", name);
    }
  }
}

}  // namespace
}  // namespace hotlap::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hotlap::fuzz;
  const Exact input({reinterpret_cast<const char*>(data), size});
  const Scanned head = scan_every_way(input.view());
  // Incomplete heads end here, so their first line is tried by itself as well.
  if (head.state != HeadScanner::State::kComplete) {
    compare_request_lines(input.view().substr(0, input.view().find_first_of("\r\n")));
    return 0;
  }
  const std::string_view bytes =
      input.view().substr(head.head_offset, head.taken - head.head_offset);
  compare_request_lines(bytes.substr(0, head.line_length));
  const size_t fields = head.line_length + 2;
  compare_header_maps(bytes.substr(fields, bytes.size() - fields - 2));
  return 0;
}
