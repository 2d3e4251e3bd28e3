#include "variants/contract/inputs.h"

#include <algorithm>

#include "server/conformance/corpus.h"
#include "server/stages/request_line.h"

namespace hotlap::variants {
namespace {

constexpr size_t kMaxBlockBytes = 16 * 1024;

// Every text that differs from `base` in one byte, lacks one, or has one twice.
void add_one_byte_changes(const std::string& base, std::vector<std::string>& out) {
  for (size_t at = 0; at < base.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = base;
      changed[at] = static_cast<char>(byte);
      out.push_back(std::move(changed));
    }
    std::string shorter = base, longer = base;
    out.push_back(shorter.erase(at, 1));
    out.push_back(longer.insert(at, 1, base[at]));
    out.push_back(base.substr(0, at));
  }
}

bool has_line_byte(const std::string& line) {
  return line.find_first_of("\r\n") != std::string::npos;
}

// Each CR is followed by LF, each LF follows a CR, no line is empty, and the last one is ended.
bool is_block(const std::string& block) {
  if (block.empty()) return true;
  if (!block.ends_with("\r\n") || block.starts_with("\r\n")) return false;
  if (block.find("\r\n\r\n") != std::string::npos) return false;
  for (size_t i = 0; i < block.size(); ++i) {
    if (block[i] == '\r' && (i + 1 == block.size() || block[i + 1] != '\n')) return false;
    if (block[i] == '\n' && (i == 0 || block[i - 1] != '\r')) return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> request_lines() {
  std::vector<std::string> lines = {"", " ", "  ", "GET", "GET ", "GET /", "HTTP/1.1"};
  for (const conformance::Case& one : conformance::corpus()) {
    lines.push_back(one.bytes.substr(0, one.bytes.find("\r\n")));
  }
  for (int major = 0; major < 10; ++major) {
    for (int minor = 0; minor < 10; ++minor) {
      lines.push_back("GET /x HTTP/" + std::to_string(major) + "." + std::to_string(minor));
    }
  }
  for (size_t length = 1; length < 80; ++length) {
    lines.push_back("GET /" + std::string(length, 'p') + " HTTP/1.1");
    lines.push_back(std::string(length, 'M') + " / HTTP/1.1");
  }
  lines.push_back(std::string(server::kMaxRequestLineBytes - 11, 'M') + " / HTTP/1.1");
  lines.push_back(std::string(server::kMaxRequestLineBytes, 'M'));
  lines.push_back("GET /" + std::string(8191, 'p') + " HTTP/1.1");
  lines.push_back("GET http://a/" + std::string(8000, '?') + " HTTP/1.1");
  add_one_byte_changes("GET /hello HTTP/1.1", lines);
  add_one_byte_changes("OPTIONS * HTTP/1.0", lines);
  add_one_byte_changes("POST http://a/b?c HTTP/1.2", lines);
  // Longer than two of the widest blocks that a variant takes at once.
  add_one_byte_changes("GET /articles/2026/benchmarks?utm_source=feed&page=2&sort=-date HTTP/1.1",
                       lines);
  std::erase_if(lines, [](const std::string& line) {
    return has_line_byte(line) || line.size() > server::kMaxRequestLineBytes;
  });
  return lines;
}

std::vector<std::string> header_blocks() {
  std::vector<std::string> blocks = {""};
  for (const conformance::Case& one : conformance::corpus()) {
    size_t begin = one.bytes.find("\r\n");
    size_t end = one.bytes.find("\r\n\r\n");
    if (begin == std::string::npos || end == std::string::npos || end < begin + 2) continue;
    blocks.push_back(one.bytes.substr(begin + 2, end - begin));
  }
  std::string many;
  for (int i = 0; i < 100; ++i) {
    many +=
        "Name-" + std::to_string(i % 40) + ": " + std::string(static_cast<size_t>(i), 'v') + "\r\n";
    blocks.push_back(many);
  }
  for (size_t length = 1; length < 80; ++length) {
    blocks.push_back(std::string(length, 'N') + ":" + std::string(2 * length, 'v') + "\r\n");
  }
  add_one_byte_changes("Host: a:80\r\nX: y\r\n", blocks);
  add_one_byte_changes("Content-Length: 18446744073709551615\r\n", blocks);
  add_one_byte_changes("Transfer-Encoding: gzip, chunked\r\n", blocks);
  add_one_byte_changes("Connection: close, Keep-Alive\r\n", blocks);
  add_one_byte_changes("Expect: 100-continue\r\n", blocks);
  std::erase_if(blocks, [](const std::string& block) {
    return !is_block(block) || block.size() > kMaxBlockBytes;
  });
  return blocks;
}

}  // namespace hotlap::variants
