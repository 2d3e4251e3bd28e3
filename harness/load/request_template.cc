// Layouts of a template.
#include "harness/load/request_template.h"

#include <algorithm>
#include <cstring>

namespace hotlap::load {
namespace {

std::string replaced(std::string text, std::string_view id) {
  for (std::size_t at = 0; (at = text.find(kPlaceOfId, at)) != std::string::npos; at += id.size()) {
    text.replace(at, kPlaceOfId.size(), id);
  }
  return text;
}

}  // namespace

bool has_place(const RequestSpec& spec) {
  const auto in = [](std::string_view text) {
    return text.find(kPlaceOfId) != std::string_view::npos;
  };
  return in(spec.target) || in(spec.body) ||
         std::any_of(spec.headers.begin(), spec.headers.end(),
                     [&](const auto& header) { return in(header.second); });
}

RequestSpec with_id(const RequestSpec& spec, std::string_view id) {
  RequestSpec one = spec;
  one.target = replaced(spec.target, id);
  one.body = replaced(spec.body, id);
  for (auto& [name, value] : one.headers) value = replaced(value, id);
  return one;
}

void RequestTemplate::Layout::write(std::string_view digits, char* copy) const {
  for (const std::size_t place : places) std::memcpy(copy + place, digits.data(), digits.size());
}

std::size_t RequestTemplate::longest() const {
  std::size_t most = 0;
  for (const Layout& layout : layouts_) most = std::max(most, layout.wire.size());
  return most;
}

std::optional<RequestTemplate> RequestTemplate::make(const RequestSpec& spec,
                                                     const Endpoint& endpoint, bool keep_alive,
                                                     const Ids& ids, std::string& error) {
  RequestTemplate made;
  made.least_digits_ = static_cast<std::size_t>(ids.least_digits());
  const auto most = static_cast<std::size_t>(ids.most_digits());
  for (std::size_t digits = made.least_digits_; digits <= most; ++digits) {
    // Two ids that have no digit in common differ in the ids' places and nowhere else.
    auto zeros =
        build_request(with_id(spec, std::string(digits, '0')), endpoint, keep_alive, error);
    if (!zeros) return std::nullopt;
    auto ones = build_request(with_id(spec, std::string(digits, '1')), endpoint, keep_alive, error);
    if (!ones) return std::nullopt;
    Layout layout;
    for (std::size_t at = 0; at < zeros->wire.size(); ++at) {
      if (zeros->wire[at] == ones->wire[at]) continue;
      layout.places.push_back(at);
      at += digits - 1;
    }
    layout.wire = std::move(zeros->wire);
    zeros->wire.clear();
    made.request_ = *std::move(zeros);
    made.layouts_.push_back(std::move(layout));
  }
  return made;
}

}  // namespace hotlap::load
