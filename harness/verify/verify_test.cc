#include "harness/verify/verify.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "server/conformance/server_process.h"

namespace hotlap::verify {
namespace {

using conformance::ServerProcess;
using testing::HasSubstr;

std::string binary(const std::string& name) { return std::string(HOTLAP_BIN_DIR) + "/" + name; }

// Serves what a function says, one connection after the other, until it is destroyed.
class ScriptedServer {
 public:
  using Answer = std::function<std::string(const std::string& request)>;

  explicit ScriptedServer(Answer answer) : answer_(std::move(answer)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    stop_ = eventfd(0, EFD_CLOEXEC);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    bind(listener_, reinterpret_cast<sockaddr*>(&address), length);
    listen(listener_, 256);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    endpoint_.port = ntohs(address.sin_port);
    thread_ = std::jthread([this] { serve(); });
  }
  ~ScriptedServer() {
    uint64_t one = 1;
    EXPECT_EQ(write(stop_, &one, sizeof one), 8);
    thread_.join();
    close(listener_);
    close(stop_);
  }
  const Endpoint& endpoint() const { return endpoint_; }

 private:
  bool readable(int fd) const {
    std::array<pollfd, 2> fds{{{fd, POLLIN, 0}, {stop_, POLLIN, 0}}};
    return poll(fds.data(), 2, 5000) > 0 && fds[1].revents == 0;
  }
  void serve() {
    while (readable(listener_)) {
      int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      std::string request;
      std::array<char, 4096> buffer;
      while (request.find("\r\n\r\n") == std::string::npos && readable(fd)) {
        ssize_t got = recv(fd, buffer.data(), buffer.size(), 0);
        if (got <= 0) break;
        request.append(buffer.data(), static_cast<size_t>(got));
      }
      std::string reply = answer_(request);
      send(fd, reply.data(), reply.size(), MSG_NOSIGNAL);
      shutdown(fd, SHUT_WR);
      while (readable(fd) && recv(fd, buffer.data(), buffer.size(), 0) > 0) {
      }
      close(fd);
    }
  }

  Answer answer_;
  int listener_, stop_;
  Endpoint endpoint_;
  std::jthread thread_;
};

std::string reply_of(const std::string& fields, const std::string& body) {
  return "HTTP/1.1 200 OK\r\n" + fields + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

const std::string kHello = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";

TEST(VerifyRequests, ReferencesAgreeOnHello) {
  ServerProcess floor({binary("hotlap-floor")}), asio({binary("hotlap-asio")});
  ASSERT_EQ(floor.error() + asio.error(), "");
  std::vector<Target> targets = {{"floor", floor.endpoint()}, {"asio", asio.endpoint()}};
  auto report = verify_requests(targets, std::vector{kHello});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->passed()) << testing::PrintToString(report->lines);
  EXPECT_EQ(report->cases, 1u);
  EXPECT_EQ(report->exchanges, 2u);
}

TEST(VerifyRequests, FindsAnotherBodyAndNamesBoth) {
  ServerProcess floor({binary("hotlap-floor")}), asio({binary("hotlap-asio")});
  std::vector<Target> targets = {{"asio", asio.endpoint()}, {"floor", floor.endpoint()}};
  auto report = verify_requests(
      targets, std::vector{kHello, std::string("GET /ping HTTP/1.1\r\nHost: a\r\n\r\n")});
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->differences, 1u);
  EXPECT_THAT(report->lines[0], HasSubstr("floor: GET /ping HTTP/1.1: unlike asio"));
}

TEST(VerifyRequests, OtherFieldsAndFramingMayDiffer) {
  ScriptedServer plain([](auto&) { return reply_of("Content-Type: text/plain\r\n", "Hi"); });
  ScriptedServer chunked([](auto&) {
    return std::string(
        "HTTP/1.1 200 Fine\r\nServer: x\r\ncontent-type: text/plain\r\n"
        "Transfer-Encoding: chunked\r\n\r\n2\r\nHi\r\n0\r\n\r\n");
  });
  ScriptedServer to_close(
      [](auto&) { return std::string("HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nHi"); });
  std::vector<Target> targets = {
      {"plain", plain.endpoint()}, {"chunked", chunked.endpoint()}, {"old", to_close.endpoint()}};
  auto report = verify_requests(targets, std::vector{kHello});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->passed()) << testing::PrintToString(report->lines);
}

TEST(VerifyRequests, FindsAnotherTypeStatusOrSilence) {
  ScriptedServer good([](auto&) { return reply_of("Content-Type: text/plain\r\n", "Hi"); });
  ScriptedServer html([](auto&) { return reply_of("Content-Type: text/html\r\n", "Hi"); });
  ScriptedServer error([](auto&) {
    return std::string(
        "HTTP/1.1 500 No\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nHi");
  });
  ScriptedServer cut([](auto&) { return std::string("HTTP/1.1 200 OK\r\nContent-Len"); });
  std::vector<Target> targets = {{"good", good.endpoint()},
                                 {"html", html.endpoint()},
                                 {"error", error.endpoint()},
                                 {"cut", cut.endpoint()}};
  auto report = verify_requests(targets, std::vector{kHello});
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->lines.size(), 3u);
  EXPECT_THAT(report->lines[0], HasSubstr("html"));
  EXPECT_THAT(report->lines[1], HasSubstr("500"));
  EXPECT_THAT(report->lines[2], HasSubstr("cut: GET /hello HTTP/1.1: no reply"));
}

TEST(Verify, AsioReferencePassesTheShortFormButForInspect) {
  ServerProcess asio({binary("hotlap-asio")});
  std::vector<Target> targets = {{"asio", asio.endpoint()}};
  auto report = verify(targets, Depth::quick);
  ASSERT_TRUE(report.ok()) << report.status();
  for (const std::string& line : report->lines) {
    // The one route that it does not have.
    EXPECT_THAT(line, HasSubstr("status 404, expected 200"));
  }
  EXPECT_GT(report->cases, 24u);
}

TEST(Verify, ProfilesOfTheLabPassTheShortFormInASecond) {
  std::vector<std::unique_ptr<ServerProcess>> servers;
  std::vector<Target> targets;
  for (const char* spec : {"baseline", "fast"}) {
    servers.push_back(std::make_unique<ServerProcess>(
        std::vector<std::string>{binary("hotlap-server"), "--pipeline", spec}));
    ASSERT_EQ(servers.back()->error(), "");
    targets.push_back({spec, servers.back()->endpoint()});
  }
  auto started = std::chrono::steady_clock::now();
  auto report = verify(targets, Depth::quick);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->passed()) << testing::PrintToString(report->lines);
  EXPECT_EQ(report->exchanges, 2 * report->cases);
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(1));
}

TEST(Verify, NamesTheTargetThatDiffersFromTheFirst) {
  // Each is right by itself, but their limits differ.
  ServerProcess one({binary("hotlap-server")}),
      other({binary("hotlap-server"), "--max-headers", "99"});
  std::vector<Target> targets = {{"one", one.endpoint()}, {"other", other.endpoint()}};
  auto report = verify(targets, Depth::whole);
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->differences, 1u) << testing::PrintToString(report->lines);
  EXPECT_THAT(report->lines[0], HasSubstr("other: headers_100 (HTTP.md 17, whole)"));
}

TEST(Verify, FloorFailsAndSaysWhere) {
  ServerProcess floor({binary("hotlap-floor")});
  std::vector<Target> targets = {{"floor", floor.endpoint()}};
  auto report = verify(targets, Depth::quick, std::chrono::milliseconds(300));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(report->passed());
  EXPECT_THAT(report->lines[0], HasSubstr("(HTTP.md 1, whole)"));
  EXPECT_LE(report->lines.size(), Report::kMaxLines + 1);
}

TEST(Verify, AbsentTargetIsAnErrorThatNamesIt) {
  Endpoint nobody;
  {
    ServerProcess gone({binary("hotlap-floor")});
    nobody = gone.endpoint();
  }
  std::vector<Target> targets = {{"ghost", nobody}};
  auto report = verify(targets, Depth::quick);
  EXPECT_EQ(report.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(report.status().message()), HasSubstr("ghost"));
  EXPECT_EQ(verify({}, Depth::quick).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hotlap::verify
