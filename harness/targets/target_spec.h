// What a server under test is, before it runs: its kind, and the argv that starts it. Pure: no
// process, no file is touched here except by find_program, which asks whether a program is there.
#ifndef HOTLAP_HARNESS_TARGETS_TARGET_SPEC_H_
#define HOTLAP_HARNESS_TARGETS_TARGET_SPEC_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace hotlap::targets {

enum class TargetKind {
  kPipeline,  // hotlap-server --pipeline VALUE
  kServer,    // hotlap-VALUE, a reference server ("floor", "nginx")
  kCommand,   // /bin/sh -c VALUE, {port} replaced
  kUrl,       // http://HOST:PORT, already running: nothing is started
};

struct TargetSpec {
  TargetKind kind = TargetKind::kPipeline;
  std::string value;
};

// Where a target listens; `host` is a numeric address or name without brackets.
struct Endpoint {
  std::string host;
  uint16_t port = 0;

  std::string to_string() const;  // "127.0.0.1:8080", "[::1]:8080"
};

// "127.0.0.1:80", "[::1]:80", "localhost:80".
absl::StatusOr<Endpoint> parse_endpoint(std::string_view text);

// "http://HOST:PORT" with an optional path, which is ignored; port 80 where none is given.
absl::StatusOr<Endpoint> parse_url(std::string_view url);

// As messages call it: `pipeline "fast"`, `server "floor"`, `command "nginx …"`.
std::string describe(const TargetSpec& spec);

// Whether the target prints `listening on HOST:PORT` as its first line (pipeline, server).
bool announces_itself(TargetKind kind);

// The program of a pipeline or server target: `bin_directory`/hotlap-…, or an error that lists
// the reference servers that exist, or names what a known one was not built for want of.
absl::StatusOr<std::string> find_program(const TargetSpec& spec, const std::string& bin_directory);

// The directory of the running binary, where hotlap-launch and the servers are built too.
absl::StatusOr<std::string> own_bin_directory();

// The argv of a target. `program` serves pipeline and server targets; `port` replaces {port} in a
// command, which must contain it at least once.
absl::StatusOr<std::vector<std::string>> build_argv(const TargetSpec& spec,
                                                    const std::string& program, uint16_t port);

}  // namespace hotlap::targets

#endif  // HOTLAP_HARNESS_TARGETS_TARGET_SPEC_H_
