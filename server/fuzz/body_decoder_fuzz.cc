// Any bytes as a body. Whether it arrives at once or in pieces, its decoder must take the same
// bytes, give the same data and come to the same end. The first byte of the input chooses the
// framing and the limits.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/fuzz/demand.h"
#include "server/http/body_decoder.h"

namespace hotlap::fuzz {
namespace {

using namespace server;

struct Decoded {
  BodyDecoder::State state;
  HttpStatus status;
  size_t consumed;
  std::string body;

  bool operator==(const Decoded&) const = default;
};

void start(BodyDecoder& decoder, std::uint8_t choice, size_t length) {
  if (choice % 2 == 0) return decoder.start_length(length * choice / 128);
  BodyLimits limits;
  if (choice & 2) {
    limits = {.body_bytes = 100, .extension_bytes = 20, .trailer_bytes = 40, .trailers = 3};
  }
  decoder.start_chunked(limits);
}

// Feeds pieces of `step` bytes; what a step leaves over is given again, as the server does.
Decoded decode(std::uint8_t choice, std::string_view input, size_t step) {
  BodyDecoder decoder;
  start(decoder, choice, input.size());
  Decoded out{decoder.done() ? BodyDecoder::State::kDone : BodyDecoder::State::kMore, kAccepted, 0,
              ""};
  for (size_t available = 0; out.state == BodyDecoder::State::kMore;) {
    if (out.consumed == available) {
      if (available == input.size()) break;
      available = std::min(input.size(), available + step);
    }
    const auto taken = decoder.step(input.substr(out.consumed, available - out.consumed));
    demand(taken.consumed > 0, "body: nothing consumed of something");
    demand(taken.consumed <= available - out.consumed, "body: more consumed than there was");
    const char* const begin = input.data() + out.consumed;
    demand(taken.data.empty() || (taken.data.data() >= begin &&
                                  taken.data.data() + taken.data.size() <= begin + taken.consumed),
           "body: data from elsewhere");
    out.consumed += taken.consumed;
    out.body += taken.data;
    out.state = taken.state;
  }
  out.status = decoder.status();
  demand(decoder.done() == (out.state == BodyDecoder::State::kDone), "body: done() disagrees");
  demand((out.status != kAccepted) == (out.state == BodyDecoder::State::kRefused),
         "body: a status without a refusal, or the other way round");
  demand(decoder.decoded_bytes() == out.body.size(), "body: decoded_bytes() disagrees");
  return out;
}

}  // namespace
}  // namespace hotlap::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hotlap::fuzz;
  if (size == 0) return 0;
  const std::uint8_t choice = data[0];
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Decoded whole = decode(choice, input, input.size() + 1);
  for (size_t step : {1, 2, 3, 5, 13}) {
    demand(decode(choice, input, step) == whole, "body: another result when split");
  }
  if ((choice & 3) == 3) demand(whole.body.size() <= 100, "body: limit exceeded");
  return 0;
}
