// A request with places for an id, `{id}`, in its target, headers or body. For each number of
// digits that an id may have its bytes are laid out once, Content-Length and all; what remains for
// a request is to write the digits into their places.
#ifndef HOTLAP_HARNESS_LOAD_REQUEST_TEMPLATE_H_
#define HOTLAP_HARNESS_LOAD_REQUEST_TEMPLATE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/load/endpoint.h"
#include "harness/load/ids.h"
#include "harness/load/request.h"

namespace hotlap::load {

inline constexpr std::string_view kPlaceOfId = "{id}";

// Whether the request has a place for an id.
bool has_place(const RequestSpec& spec);
// The request with `id` in every place.
RequestSpec with_id(const RequestSpec& spec, std::string_view id);

class RequestTemplate {
 public:
  struct Layout {
    std::string wire;
    std::vector<std::size_t> places;  // where the digits of each id begin

    // Writes the digits into `wire`'s bytes, or a copy of them.
    void write(std::string_view digits, char* copy) const;
  };

  // As build_request, of which it is one a layout.
  static std::optional<RequestTemplate> make(const RequestSpec& spec, const Endpoint& endpoint,
                                             bool keep_alive, const Ids& ids, std::string& error);

  const Layout& layout(std::size_t digits) const { return layouts_[digits - least_digits_]; }
  std::size_t longest() const;                         // bytes
  const Request& request() const { return request_; }  // what is expected

 private:
  std::size_t least_digits_ = 1;
  std::vector<Layout> layouts_;
  Request request_;
};

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_REQUEST_TEMPLATE_H_
