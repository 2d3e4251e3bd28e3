// hotlap-server: the lab's HTTP/1.1 server with one variant a stage. Its first line of output says
// where it listens, its second which pipeline runs. Exit code 0, or 3 for any error at start.
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "server/core/service.h"
#include "server/list.h"

namespace hotlap::server {
namespace {

constexpr int kExitError = 3;
constexpr rlim_t kOwnDescriptors = 64;

struct Options {
  std::string pipeline = "baseline";
  std::string listen = "127.0.0.1:0";
  bool list = false;
  bool json = false;
  bool describe = false;
  Limits limits;
  RouteSettings routes;
  TransportSettings transport;
};

void declare(CLI::App& app, Options& options) {
  Limits& limits = options.limits;
  const CLI::Range any_ms(std::int64_t{1}, std::int64_t{86'400'000});
  app.add_option("--pipeline", options.pipeline,
                 "PROFILE and changes: fast,address=lazy or just address=lazy")
      ->capture_default_str();
  app.add_option("--listen", options.listen, "HOST:PORT or [HOST]:PORT, port 0 for a free one")
      ->capture_default_str();
  app.add_flag("--list", options.list, "print stages, variants and profiles, and exit");
  app.add_flag("--json", options.json, "with --list: as JSON");
  app.add_flag("--describe", options.describe, "print the pipeline and the limits, and exit");
  app.add_option("--files", options.routes.files_directory, "directory that /file/:name serves");
  app.add_option("--routes", options.routes.numbered_routes, "how many of /route/0, /route/1, ...")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  app.add_option("--tls-certificate", options.transport.certificate_file,
                 "PEM, the chain after it; without one a TLS transport makes its own at start");
  app.add_option("--tls-key", options.transport.key_file, "PEM, the key of --tls-certificate");
  app.add_option("--tls-certificate-out", options.transport.certificate_out_file,
                 "where to write the certificate in use as PEM, for clients to trust");
  app.add_option("--max-head", limits.head_bytes, "bytes of a request head")
      ->check(CLI::Range(64, 1 << 20))
      ->capture_default_str();
  app.add_option("--max-headers", limits.headers, "header lines of a request")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_option("--max-target", limits.target_bytes, "bytes of a request target")
      ->check(CLI::Range(1, 8192))
      ->capture_default_str();
  app.add_option("--max-body", limits.body_bytes, "bytes of a request body")
      ->check(CLI::Range(0, 1 << 30))
      ->capture_default_str();
  app.add_option("--max-drained-body", limits.drained_body_bytes,
                 "bytes of a body nobody wants that are read before the connection is given up")
      ->check(CLI::Range(0, 1 << 30))
      ->capture_default_str();
  app.add_option("--max-connections", limits.connections, "open connections")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  const auto time_out = [&](const char* flag, std::int64_t& value, const char* text) {
    app.add_option(flag, value, text)->check(any_ms)->capture_default_str();
  };
  time_out("--head-timeout-ms", limits.head_timeout_ms, "from a head's first byte to its end");
  time_out("--io-timeout-ms", limits.io_timeout_ms, "a body or a reply without progress");
  time_out("--idle-timeout-ms", limits.idle_timeout_ms, "between requests");
  time_out("--linger-timeout-ms", limits.linger_timeout_ms,
           "after a last reply, until the peer closes");
  time_out("--drain-timeout-ms", limits.drain_timeout_ms, "after SIGTERM, for what is in flight");
}

int fail(const std::string& message) {
  std::fprintf(stderr, "hotlap-server: %s\n", message.c_str());
  return kExitError;
}

// Descriptors for as many connections as allowed, or a word that there are fewer.
void raise_descriptor_limit(std::size_t connections) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = connections + kOwnDescriptors;
  if (limit.rlim_cur >= wanted) return;
  if (limit.rlim_max < wanted) {
    rlimit raised{wanted, wanted};
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) return;
  }
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < connections) {
    std::fprintf(stderr,
                 "hotlap-server: only %llu file descriptors are allowed, connections beyond them "
                 "are refused; raise `ulimit -n` for --max-connections %zu\n",
                 static_cast<unsigned long long>(limit.rlim_cur), connections);
  }
}

int serve(const Options& options, Pipeline pipeline) {
  sigset_t stop_signals;
  sigemptyset(&stop_signals);
  sigaddset(&stop_signals, SIGTERM);
  sigaddset(&stop_signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &stop_signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  const int signal_fd = signalfd(-1, &stop_signals, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signal_fd < 0) return fail("cannot make a signalfd");

  const std::string echo = describe_pipeline(pipeline);
  Service service(std::move(pipeline), options.limits, options.routes, options.transport);
  if (const std::string error = service.open(options.listen); !error.empty()) return fail(error);
  raise_descriptor_limit(options.limits.connections);
  service.stop_when_readable(signal_fd);
  std::printf("listening on %s\npipeline %s\n", service.address().c_str(), echo.c_str());
  std::fflush(stdout);
  const std::string error = service.run();
  if (const auto refused = service.counters.refused.load(); refused > 0) {
    std::fprintf(stderr, "hotlap-server: refused %llu of %llu connections\n",
                 static_cast<unsigned long long>(refused),
                 static_cast<unsigned long long>(service.counters.accepted.load()));
  }
  return error.empty() ? 0 : fail(error);
}

int run(int argc, char** argv) {
  CLI::App app{"The lab's HTTP/1.1 server: one variant a stage, chosen by --pipeline."};
  app.footer(
      "Example: hotlap-server --pipeline fast,address=cached --listen 127.0.0.1:8080\n"
      "Prints `listening on HOST:PORT`, then `pipeline ...`. SIGTERM ends it: exit 0.");
  Options options;
  declare(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitError;
  }
  if (options.json && !options.list) return fail("--json goes with --list");
  if (options.list) {
    std::fputs((options.json ? list_json() : list_text()).c_str(), stdout);
    return 0;
  }
  std::string error;
  std::optional<Pipeline> pipeline = parse_pipeline(options.pipeline, error);
  if (!pipeline) return fail("--pipeline " + options.pipeline + ": " + error);
  if (options.describe) {
    std::fputs(describe_text(*pipeline, options.limits).c_str(), stdout);
    return 0;
  }
  return serve(options, std::move(*pipeline));
}

}  // namespace
}  // namespace hotlap::server

int main(int argc, char** argv) { return hotlap::server::run(argc, argv); }
