// Whether this was built with a sanitizer that slows everything down and keeps memory of its own.
#pragma once

namespace hotlap::conformance {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace hotlap::conformance
