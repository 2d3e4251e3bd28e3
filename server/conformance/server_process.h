// A server as a child process, for tests: started on a port that the kernel picks, ready once its
// first line says where it listens, gone with the object (or with the test, however that ends).
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "server/conformance/exchange.h"

namespace hotlap::conformance {

class ServerProcess {
 public:
  // `command` gets `--listen 127.0.0.1:0` where it names no --listen. `max_files` > 0 limits its
  // descriptors. A pipeline with `transport=tls` makes an endpoint that speaks TLS. On failure
  // error() says why and endpoint().port is 0.
  explicit ServerProcess(std::vector<std::string> command, unsigned max_files = 0);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  const Endpoint& endpoint() const { return endpoint_; }
  const std::string& error() const { return error_; }
  const std::string& first_line() const { return first_line_; }
  pid_t pid() const { return pid_; }

  void send_signal(int signal) const;
  // The exit code (128 + signal where one ended it), or nothing where it still runs by then.
  std::optional<int> wait_for_exit(int timeout_ms);
  bool running();

  double cpu_seconds() const;  // user and system so far
  long resident_kib() const;   // VmRSS
  // What a sanitizer has said in the server so far; empty where nothing.
  std::string sanitizer_report();
  std::string stderr_text();  // what it has written so far

 private:
  void start(std::vector<std::string>& command, unsigned max_files);
  void read_first_line();

  pid_t pid_ = -1;
  int exit_fd_ = -1, stdout_ = -1, stderr_ = -1;
  std::optional<int> exit_code_;
  Endpoint endpoint_;
  std::string error_, first_line_, stderr_text_;
};

}  // namespace hotlap::conformance
