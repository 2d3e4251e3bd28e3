// The bytes of one request body that did not lie in one piece. Grows by doubling, without zeroing;
// memory beyond what small bodies need is given back at the end of the request.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

namespace hotlap::server {

class BodyStore {
 public:
  // Room for `bytes` more behind what is there; write there, then added().
  char* room(std::size_t bytes) {
    if (size_ + bytes > capacity_) grow(size_ + bytes);
    return bytes_.get() + size_;
  }
  void added(std::size_t bytes) { size_ += bytes; }

  void append(std::string_view data) {
    if (data.empty()) return;
    std::memcpy(room(data.size()), data.data(), data.size());
    size_ += data.size();
  }
  void clear() {
    size_ = 0;
    if (capacity_ > kKeptBytes) {
      bytes_.reset();
      capacity_ = 0;
    }
  }
  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  static constexpr std::size_t kKeptBytes = 16 * 1024;

  void grow(std::size_t needed) {
    const std::size_t capacity = std::max({needed, capacity_ * 2, std::size_t{4096}});
    std::unique_ptr<char[]> grown(new char[capacity]);
    if (size_ != 0) std::memcpy(grown.get(), bytes_.get(), size_);
    bytes_ = std::move(grown);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace hotlap::server
