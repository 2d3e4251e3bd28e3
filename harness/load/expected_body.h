// The body that a reply must have, given or learned, and the comparison as a body streams by.
// Bodies up to kVerbatim are kept whole; of longer ones that much, the length and a hash of the
// rest, so that memory stays bounded whatever a server sends.
#ifndef HOTLAP_HARNESS_LOAD_EXPECTED_BODY_H_
#define HOTLAP_HARNESS_LOAD_EXPECTED_BODY_H_

#include <openssl/evp.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace hotlap::load {

struct Body {
  static constexpr std::size_t kVerbatim = std::size_t{1} << 20;

  std::string start;
  std::uint64_t length = 0;
  std::uint64_t rest_hash = 14695981039346656037U;  // FNV-1a of what follows `start`

  void append(std::string_view piece);
  bool operator==(const Body&) const = default;
};

// What one request's replies must hold. Shared by the threads of an arm: the first body learned
// wins, and all later ones are held against it.
class ExpectedBody {
 public:
  // Null while nothing has been given or learned.
  const Body* get() const { return published_.load(std::memory_order_acquire); }
  // Publishes the body unless another was first; returns the one that holds.
  const Body* learn(Body body);

 private:
  std::mutex mutex_;
  std::unique_ptr<const Body> owned_;
  std::atomic<const Body*> published_{nullptr};
};

struct FreeDigest {
  void operator()(EVP_MD_CTX* digest) const { EVP_MD_CTX_free(digest); }
};
using DigestPtr = std::unique_ptr<EVP_MD_CTX, FreeDigest>;

// Compares one body, piece by piece, with what is expected, or gathers it where nothing is yet.
class BodyComparison {
 public:
  // `expected` is null for any body, or to learn (then `gather` is set, and `hash` where a SHA-256
  // will be asked for).
  void begin(const Body* expected, bool gather, bool hash = false);
  void add(std::string_view piece);
  // At the body's end: whether it equals the expectation; true where there is none.
  bool equal() const;
  std::uint64_t length() const { return length_; }
  std::string sha256();  // of 32 bytes; once, at the end of a body that was hashed
  bool gathering() const { return gather_; }
  Body take_gathered() { return std::move(gathered_); }

 private:
  const Body* expected_ = nullptr;
  bool gather_ = false;
  bool hash_ = false;
  bool differs_ = false;
  std::uint64_t length_ = 0;
  std::uint64_t rest_hash_ = 0;
  Body gathered_;
  DigestPtr digest_;  // made when first needed
};

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_EXPECTED_BODY_H_
