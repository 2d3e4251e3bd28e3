// tidy: allow test-beside: it tests every reference server beside the lab's, as programs
// What the README's table promises of each reference server: the same status, type and body as the
// lab's server gives, many requests on one connection, and its command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "server/conformance/exchange.h"
#include "server/conformance/reply.h"
#include "server/conformance/server_process.h"

namespace hotlap::reference {
namespace {

using conformance::Outcome;
using conformance::Script;
using conformance::ServerProcess;
using testing::HasSubstr;

constexpr int kEndMs = 10000;

std::string binary(const std::string& name) { return std::string(HOTLAP_BIN_DIR) + "/" + name; }

std::string request(const std::string& line, const std::string& rest = "\r\n") {
  return line + " HTTP/1.1\r\nHost: reference\r\n" + rest;
}

std::string posted(const std::string& target, const std::string& body) {
  return request("POST " + target,
                 "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
}

// What every server but the floor answers as the lab's does.
std::vector<std::string> common_requests() {
  std::vector<std::string> requests;
  for (const char* target : {"/hello",
                             "/ping",
                             "/address",
                             "/hello?a=b",
                             "/nowhere",
                             "/",
                             "/hello/",
                             "/echo",
                             "/echo?size=1",
                             "/echo?size=64",
                             "/echo?size=0",
                             "/echo?size=007",
                             "/echo?size=1000",
                             "/echo?size=9999",
                             "/echo?size=10203",
                             "/echo?size=1048576",
                             "/echo?size=1048577",
                             "/echo?size=99999999999999999999",
                             "/echo?size=",
                             "/echo?size",
                             "/echo?size=+5",
                             "/echo?size=5x",
                             "/echo?a=1&size=12",
                             "/echo?sizes=1",
                             "/echo?size=3&size=4"}) {
    requests.push_back(request(std::string("GET ") + target));
  }
  for (const char* line : {"HEAD /hello", "HEAD /echo?size=5000", "HEAD /nowhere", "DELETE /hello",
                           "PUT /nowhere", "OPTIONS /ping", "FROB /hello", "FROB /nowhere"}) {
    requests.push_back(request(line));
  }
  requests.push_back(posted("/hello", "body"));
  requests.push_back(posted("/nowhere", "body"));
  return requests;
}

std::vector<std::string> requests_of(const std::string& server) {
  if (server == "floor") return {request("GET /hello")};
  std::vector<std::string> requests = common_requests();
  if (server == "nginx") return requests;
  for (const std::string& body : {std::string(), std::string("ping"), std::string(70000, 'y')}) {
    requests.push_back(posted("/echo", body));
  }
  requests.push_back(
      request("POST /echo", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"));
  return requests;
}

Script script_of(const std::string& bytes, std::vector<bool> heads) {
  Script script;
  script.pieces = {bytes};
  script.replies = heads.size();
  script.heads = std::move(heads);
  script.probe = false;
  script.read_to_close = false;
  return script;
}

// The comparable part of every reply, or what went wrong.
std::vector<std::string> cut(const Outcome& outcome, const std::vector<bool>& heads) {
  const auto cut = conformance::cut_replies(outcome.received, heads, outcome.closed);
  std::vector<std::string> found;
  for (size_t i = 0; i < cut.replies.size(); ++i) {
    const conformance::Reply& reply = cut.replies[i];
    const std::string type(reply.field("Content-Type"));
    std::string body = conformance::mask_reply({reply.status, "\r\n", reply.body}).substr(2);
    if (heads[i]) body = std::string(reply.field("Content-Length")) + " bytes";
    found.push_back(std::to_string(reply.status) + " " + type + " " + body);
  }
  if (!outcome.error.empty() || !cut.error.empty()) {
    found.push_back(outcome.error + " " + cut.error);
  }
  return found;
}

// The answer to each request, asked on a connection of its own.
std::vector<std::string> answers(const ServerProcess& server,
                                 const std::vector<std::string>& requests) {
  std::vector<Script> scripts;
  for (const std::string& one : requests) {
    scripts.push_back(script_of(one, {one.starts_with("HEAD ")}));
  }
  const std::vector<Outcome> outcomes = conformance::run_exchange(server.endpoint(), scripts);
  std::vector<std::string> found;
  for (size_t i = 0; i < requests.size(); ++i) {
    const std::vector<std::string> replies = cut(outcomes[i], scripts[i].heads);
    found.push_back(replies.empty() ? "no reply" : replies[0]);
  }
  return found;
}

class Reference : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const bool nginx = std::string(GetParam()) == "nginx";
    if (access(program().c_str(), X_OK) != 0) {
      GTEST_SKIP() << program() << " was not built: its toolchain is missing";
    }
    if (nginx &&
        std::system("PATH=$PATH:/usr/local/sbin:/usr/sbin command -v nginx >/dev/null") != 0) {
      GTEST_SKIP() << "nginx is not installed";
    }
  }
  std::string name() const { return GetParam(); }
  std::string program() const { return binary("hotlap-" + name()); }
};

TEST_P(Reference, AnswersLikeTheLab) {
  ServerProcess lab({binary("hotlap-server")}), server({program()});
  ASSERT_EQ(lab.error() + server.error(), "");
  const std::vector<std::string> requests = requests_of(name());
  const std::vector<std::string> wanted = answers(lab, requests);
  const std::vector<std::string> got = answers(server, requests);
  for (size_t i = 0; i < requests.size(); ++i) {
    EXPECT_TRUE(got[i] == wanted[i])
        << requests[i].substr(0, 200) << "lab: " << wanted[i].substr(0, 100) << "\n"
        << name() << ": " << got[i].substr(0, 100);
  }
}

TEST_P(Reference, AConnectionIsKeptForManyRequests) {
  constexpr size_t kRequests = 5000;
  ServerProcess server({program()});
  ASSERT_EQ(server.error(), "");
  std::string bytes;
  for (size_t i = 0; i < kRequests; ++i) bytes += request("GET /hello");
  const Script script = script_of(bytes, std::vector<bool>(kRequests, false));
  const Outcome outcome =
      conformance::run_exchange(server.endpoint(), std::span(&script, 1)).front();
  const std::vector<std::string> got = cut(outcome, script.heads);
  EXPECT_EQ(got.size(), kRequests);
  EXPECT_EQ(std::set<std::string>(got.begin(), got.end()),
            std::set<std::string>{"200 text/plain Hello, World!"});
}

TEST_P(Reference, SeveralThreadsServe) {
  ServerProcess server({program(), "--threads", "3"});
  ASSERT_EQ(server.error(), "");
  const std::vector<std::string> many(60, request("GET /hello"));
  const std::vector<std::string> got = answers(server, many);
  EXPECT_EQ(std::set<std::string>(got.begin(), got.end()),
            std::set<std::string>{"200 text/plain Hello, World!"});
}

TEST_P(Reference, EndsWithCodeZeroWhenAsked) {
  ServerProcess server({program()});
  ASSERT_EQ(server.error(), "");
  server.send_signal(SIGTERM);
  EXPECT_EQ(server.wait_for_exit(kEndMs), 0) << server.stderr_text();
  EXPECT_EQ(server.stderr_text(), "");
}

TEST_P(Reference, WhatItCannotDoIsAnErrorWithAReason) {
  ServerProcess holder({program()});
  ASSERT_EQ(holder.error(), "");
  const std::string taken = conformance::to_string(holder.endpoint());
  const std::vector<std::vector<std::string>> commands = {
      {program(), "--listen", taken}, {program(), "--threads", "0x"}, {program(), "--bogus"}};
  for (const std::vector<std::string>& command : commands) {
    ServerProcess refused(command);
    EXPECT_EQ(refused.wait_for_exit(kEndMs), 3) << command[1];
    EXPECT_NE(refused.stderr_text(), "") << command[1];
  }
}

INSTANTIATE_TEST_SUITE_P(All, Reference, testing::Values("asio", "floor", "go", "nginx"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace hotlap::reference
