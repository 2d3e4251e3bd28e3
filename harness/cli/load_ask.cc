// See load_ask.h.
#include "harness/cli/load_ask.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "harness/agent/file_text.h"

namespace hotlap::cli {
namespace {

constexpr size_t kSha256Digits = 64;
constexpr uint64_t kMostBytes = uint64_t{1} << 30;

absl::Status invalid(const std::string& why) { return absl::InvalidArgumentError(why); }

absl::Status check_sha256(const std::string& text) {
  const bool digits = std::all_of(text.begin(), text.end(), absl::ascii_isxdigit);
  if (digits && text.size() == kSha256Digits) return absl::OkStatus();
  return invalid(absl::StrCat("--expect-sha256 \"", text, "\" must be ", kSha256Digits,
                              " hexadecimal digits, as sha256sum prints them"));
}

}  // namespace

void AskFlags::add_to(CLI::App& command) {
  command.add_option("-X,--method", method, "method of every request (default GET)");
  command.add_option("--body-file", body_path, "body of every request: what is in this file");
  command.add_option("--body-size", body_size,
                     "body of every request: so many bytes, made up: 1000, 64k, 10M");
  command.add_option("--expect-length", expect_length,
                     "the right length of a body; bodies may differ otherwise");
  command.add_option("--expect-sha256", expect_sha256,
                     "SHA-256 of the right body, in hexadecimal (default: the first body is right, "
                     "and all others must equal it)");
}

absl::Status AskFlags::check(const WorkloadFlags& workload) const {
  if (!method.empty() && !workload.requests.empty()) {
    return invalid("give the method either in --request or as --method, not both");
  }
  const int bodies =
      (workload.body.empty() ? 0 : 1) + (body_path.empty() ? 0 : 1) + (body_size.empty() ? 0 : 1);
  if (bodies > 1) return invalid("give one of --body, --body-file and --body-size, not several");
  if (!expect_sha256.empty() && expect_length) {
    return invalid("--expect-length would have no effect: a body of that SHA-256 has one length");
  }
  if (workload.any_body && expect_length) {
    return invalid("--any-body would have no effect: with --expect-length bodies may differ");
  }
  if (workload.any_body && !expect_sha256.empty()) {
    return invalid("--any-body and --expect-sha256 contradict each other: leave one of them out");
  }
  return expect_sha256.empty() ? absl::OkStatus() : check_sha256(expect_sha256);
}

absl::Status AskFlags::set(hotlap::v1::Workload& workload) const {
  std::string body;
  uint64_t made_up = 0;
  if (!body_path.empty()) {
    auto text = agent::read_file("--body-file", body_path);
    if (!text.ok()) return text.status();
    body = *std::move(text);
  }
  if (!body_size.empty()) {
    auto size = parse_size("--body-size", body_size);
    if (!size.ok()) return size.status();
    made_up = *size;
  }
  for (auto& request : *workload.mutable_requests()) {
    if (!method.empty()) request.set_method(method);
    if (!body_path.empty()) request.set_body(body);
    request.set_generated_body_bytes(made_up);
    if (expect_length) request.set_expected_length(*expect_length);
    if (!expect_sha256.empty()) request.set_expected_sha256(absl::HexStringToBytes(expect_sha256));
  }
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> parse_size(const std::string& flag, const std::string& text) {
  const size_t unit_at = text.find_first_not_of("0123456789");
  const std::string unit =
      unit_at == std::string::npos ? "" : absl::AsciiStrToLower(text.substr(unit_at));
  const uint64_t scale = unit.empty()  ? 1
                         : unit == "k" ? uint64_t{1} << 10
                         : unit == "m" ? uint64_t{1} << 20
                         : unit == "g" ? uint64_t{1} << 30
                                       : 0;
  uint64_t value = 0;
  if (scale == 0 || !absl::SimpleAtoi(text.substr(0, unit_at), &value) || value == 0 ||
      value > kMostBytes / scale) {
    return invalid(absl::StrCat(flag, " \"", text, "\" must read as 1000, 64k or 10M, up to 1G"));
  }
  return value * scale;
}

}  // namespace hotlap::cli
