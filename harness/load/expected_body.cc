// Streaming comparison of bodies.
#include "harness/load/expected_body.h"

#include <algorithm>
#include <cstring>

namespace hotlap::load {
namespace {

std::uint64_t hash_on(std::uint64_t hash, std::string_view bytes) {
  for (const char c : bytes) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  return hash;
}

}  // namespace

void Body::append(std::string_view piece) {
  const std::size_t room = std::min(kVerbatim - start.size(), piece.size());
  start.append(piece.substr(0, room));
  rest_hash = hash_on(rest_hash, piece.substr(room));
  length += piece.size();
}

const Body* ExpectedBody::learn(Body body) {
  const std::lock_guard lock(mutex_);
  if (!owned_) {
    owned_ = std::make_unique<const Body>(std::move(body));
    published_.store(owned_.get(), std::memory_order_release);
  }
  return owned_.get();
}

void BodyComparison::begin(const Body* expected, bool gather, bool hash) {
  expected_ = expected;
  gather_ = gather;
  hash_ = hash;
  differs_ = false;
  length_ = 0;
  rest_hash_ = Body{}.rest_hash;
  if (gather) gathered_ = Body{};
  if (!hash) return;
  if (digest_ == nullptr) digest_.reset(EVP_MD_CTX_new());
  EVP_DigestInit_ex(digest_.get(), EVP_sha256(), nullptr);
}

void BodyComparison::add(std::string_view piece) {
  if (gather_) gathered_.append(piece);
  if (hash_) EVP_DigestUpdate(digest_.get(), piece.data(), piece.size());
  if (expected_ == nullptr) length_ += piece.size();
  if (expected_ == nullptr || differs_) return;
  if (piece.size() > expected_->length - length_) {
    differs_ = true;
    return;
  }
  if (length_ < Body::kVerbatim) {
    const std::size_t at = static_cast<std::size_t>(length_);
    const std::size_t verbatim = std::min(expected_->start.size() - at, piece.size());
    differs_ = std::memcmp(expected_->start.data() + at, piece.data(), verbatim) != 0;
    length_ += verbatim;
    piece.remove_prefix(verbatim);
  }
  rest_hash_ = hash_on(rest_hash_, piece);
  length_ += piece.size();
}

std::string BodyComparison::sha256() {
  std::string hash(EVP_MAX_MD_SIZE, '\0');
  unsigned size = 0;
  EVP_DigestFinal_ex(digest_.get(), reinterpret_cast<unsigned char*>(hash.data()), &size);
  hash.resize(size);
  return hash;
}

bool BodyComparison::equal() const {
  if (expected_ == nullptr) return true;
  return !differs_ && length_ == expected_->length && rest_hash_ == expected_->rest_hash;
}

}  // namespace hotlap::load
