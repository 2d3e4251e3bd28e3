// See target_spec.h.
#include "harness/targets/target_spec.h"

#include <unistd.h>

#include <filesystem>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace hotlap::targets {
namespace {

constexpr std::string_view kPortPlace = "{port}";

// A server that stands beside the lab's, and the package without which it is not built ("": none).
struct ReferenceServer {
  std::string_view name;
  std::string_view needs;
};

constexpr ReferenceServer kReferenceServers[] = {
#define HOTLAP_REFERENCE_SERVER(name, needs) {#name, needs},
#include "server/reference/servers.def"
#undef HOTLAP_REFERENCE_SERVER
};

const ReferenceServer* find_reference_server(std::string_view name) {
  for (const ReferenceServer& server : kReferenceServers) {
    if (server.name == name) return &server;
  }
  return nullptr;
}

std::string reference_servers() {
  std::string names;
  for (const ReferenceServer& server : kReferenceServers) {
    absl::StrAppend(&names, names.empty() ? "" : ", ", std::string(server.name));
  }
  return names;
}

absl::Status not_built(const ReferenceServer& server, const std::string& path) {
  const std::string name(server.name);
  if (server.needs.empty()) {
    return absl::NotFoundError(absl::StrCat("the reference server \"", name, "\" is not at ", path,
                                            ": build it (`cmake --build build/release`)"));
  }
  return absl::NotFoundError(absl::StrCat(
      "the reference server \"", name, "\" was not built (there is no ", path, "), for want of ",
      std::string(server.needs), ": install that package, then configure and build again"));
}

// Whether `exec ` may stand before the command: it is one simple command, so that the shell gives
// its place (and its signals) to the server. Anything else runs under the shell as it is.
bool is_simple_command(std::string_view command) {
  if (command.find_first_of(";&|<>()`$\n#!{}") != std::string_view::npos) return false;
  const std::string_view first = command.substr(0, command.find(' '));
  if (first.find('=') != std::string_view::npos) return false;
  for (const std::string_view word : {"exec", "cd", "if", "for", "while", "until", "case", "set",
                                      "export", "eval", ".", "trap", "ulimit", "umask"}) {
    if (first == word) return false;
  }
  return true;
}

}  // namespace

std::string Endpoint::to_string() const {
  const bool six = host.find(':') != std::string::npos;
  return six ? absl::StrCat("[", host, "]:", port) : absl::StrCat(host, ":", port);
}

absl::StatusOr<Endpoint> parse_endpoint(std::string_view text) {
  const auto bad = [&] {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", std::string(text), "\" is no HOST:PORT with a port from 1 to 65535"));
  };
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return bad();
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  if (host.front() == '[') {
    if (host.size() < 3 || host.back() != ']') return bad();
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return bad();
  }
  uint32_t port = 0;
  const bool all_digits = digits.find_first_not_of("0123456789") == std::string_view::npos;
  if (!all_digits || !absl::SimpleAtoi(std::string(digits), &port)) return bad();
  if (port < 1 || port > 65535) return bad();
  return Endpoint{std::string(host), static_cast<uint16_t>(port)};
}

absl::StatusOr<Endpoint> parse_url(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "url \"", std::string(url), "\" must begin with http://, as in http://127.0.0.1:8080"));
  }
  url.remove_prefix(kScheme.size());
  const std::string authority(url.substr(0, url.find_first_of("/?#")));
  const bool has_port = authority.rfind(':') != std::string::npos &&
                        authority.find(']', authority.rfind(':')) == std::string::npos;
  return parse_endpoint(has_port ? authority : authority + ":80");
}

std::string describe(const TargetSpec& spec) {
  switch (spec.kind) {
    case TargetKind::kPipeline:
      return absl::StrCat("pipeline \"", spec.value, "\"");
    case TargetKind::kServer:
      return absl::StrCat("server \"", spec.value, "\"");
    case TargetKind::kCommand:
      return absl::StrCat("command \"", spec.value, "\"");
    case TargetKind::kUrl:
      return absl::StrCat("url \"", spec.value, "\"");
  }
  return spec.value;
}

bool announces_itself(TargetKind kind) {
  return kind == TargetKind::kPipeline || kind == TargetKind::kServer;
}

absl::StatusOr<std::string> find_program(const TargetSpec& spec, const std::string& bin_directory) {
  if (!announces_itself(spec.kind)) return std::string("/bin/sh");
  if (spec.kind == TargetKind::kPipeline) {
    const std::string path = absl::StrCat(bin_directory, "/hotlap-server");
    if (access(path.c_str(), X_OK) == 0) return path;
    return absl::NotFoundError(absl::StrCat("the lab's server is not at ", path,
                                            ": build it (`cmake --build build/release`), or say "
                                            "where the binaries are"));
  }
  const ReferenceServer* server = find_reference_server(spec.value);
  if (server == nullptr) {
    return absl::NotFoundError(absl::StrCat("there is no reference server \"", spec.value,
                                            "\"; there are: ", reference_servers()));
  }
  const std::string path = absl::StrCat(bin_directory, "/hotlap-", spec.value);
  return access(path.c_str(), X_OK) == 0 ? absl::StatusOr<std::string>(path)
                                         : not_built(*server, path);
}

absl::StatusOr<std::string> own_bin_directory() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return absl::InternalError("cannot read /proc/self/exe: " + error.message());
  return self.parent_path().string();
}

absl::StatusOr<std::vector<std::string>> build_argv(const TargetSpec& spec,
                                                    const std::string& program, uint16_t port) {
  switch (spec.kind) {
    case TargetKind::kPipeline:
      return std::vector<std::string>{program, "--pipeline", spec.value, "--listen", "127.0.0.1:0"};
    case TargetKind::kServer:
      return std::vector<std::string>{program, "--listen", "127.0.0.1:0"};
    case TargetKind::kCommand:
      break;
    case TargetKind::kUrl:
      return absl::InvalidArgumentError(describe(spec) +
                                        " runs already: there is nothing to start");
  }
  if (spec.value.find(kPortPlace) == std::string::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat(describe(spec),
                     " must say {port} where its port belongs, as in `nginx -p {port}`: hotlap "
                     "picks a free one, so that arms never share it"));
  }
  const std::string command = absl::StrReplaceAll(spec.value, {{"{port}", absl::StrCat(port)}});
  const bool simple = is_simple_command(command);
  return std::vector<std::string>{"/bin/sh", "-c", simple ? "exec " + command : command};
}

}  // namespace hotlap::targets
