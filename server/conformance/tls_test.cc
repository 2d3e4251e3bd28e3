// What is TLS's own in the server: whom it accepts, what it resumes, records that arrive in any
// pieces or hold more than a read takes, and how connections end. The rest of what a pipeline owes
// is asked of the TLS transports too, by the other tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>

#include "server/conformance/peer.h"
#include "server/conformance/pipelines.h"
#include "server/conformance/server_process.h"
#include "server/tls/certificate.h"

namespace hotlap::conformance {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kLastPing = "GET /ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = testing::TempDir() + "hotlap-tls-XXXXXX";
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  std::string operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

class Tls : public testing::TestWithParam<std::string> {
 protected:
  void start(const std::vector<std::string>& flags = {}) {
    server_.emplace(server_command(GetParam(), flags));
    ASSERT_EQ(server_->error(), "");
    ASSERT_TRUE(server_->endpoint().tls);
  }
  void TearDown() override {
    if (!server_) return;
    EXPECT_TRUE(server_->wait_for_exit(0) == std::nullopt || server_->wait_for_exit(0) == 0);
    EXPECT_EQ(server_->sanitizer_report(), "");
  }
  Peer connect() { return Peer(server_->endpoint()); }
  Endpoint in_plain() {
    Endpoint endpoint = server_->endpoint();
    endpoint.tls = false;
    return endpoint;
  }
  void expect_serving() { EXPECT_THAT(connect().ask(kPing), EndsWith("pong")); }
  bool resumes() const { return GetParam().find("tls_resumed") != std::string::npos; }

  std::optional<ServerProcess> server_;
};

TEST_P(Tls, RepliesAcrossTheEdgeOfARecord) {
  start();
  Peer peer = connect();
  for (int size = 16384 - 300; size <= 16384 + 4; ++size) {
    const std::string reply =
        peer.ask("GET /echo?size=" + std::to_string(size) + " HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_THAT(reply.substr(0, 300), HasSubstr("Content-Length: " + std::to_string(size)));
    ASSERT_THAT(reply, EndsWith("\r\n\r\n" + std::string(static_cast<size_t>(size), 'x')));
  }
}

// One record holds more than one read takes: what the transport holds back is announced by nobody.
TEST_P(Tls, ManyRequestsInOneRecordAreAllAnswered) {
  start();
  Peer peer = connect();
  const size_t one = peer.ask(kPing).size();
  ASSERT_GT(one, 0u);
  std::string many;
  while (many.size() + kPing.size() <= 16384) many += kPing;
  const size_t count = many.size() / kPing.size();
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(peer.send(many));
    ASSERT_EQ(peer.read(count * one).size(), count * one) << "round " << round;
  }
  EXPECT_TRUE(peer.stays_silent(20));
}

TEST_P(Tls, ABodyOfManyRecordsIsEchoed) {
  start();
  std::string body(300'000, '\0');
  for (size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>('a' + i * i % 23);
  Peer peer = connect();
  ASSERT_TRUE(peer.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: " +
                        std::to_string(body.size()) + "\r\n\r\n" + body));
  EXPECT_TRUE(peer.ask("").ends_with("\r\n\r\n" + body));
}

TEST_P(Tls, KeysMayBeRenewedBetweenRequests) {
  start();
  Peer peer = connect();
  ASSERT_EQ(SSL_version(peer.channel().ssl()), TLS1_3_VERSION);
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(SSL_key_update(peer.channel().ssl(), SSL_KEY_UPDATE_REQUESTED), 1);
    ASSERT_THAT(peer.ask(kPing), EndsWith("pong"));
  }
}

// The bytes of handshake and records, sent one by one over a plain socket.
TEST_P(Tls, HandshakeAndRecordsInSingleBytes) {
  start();
  std::string error;
  auto shared = tls::make_client_context({.verify = false}, error);
  ASSERT_NE(shared, nullptr) << error;
  const tls::SslPtr ssl(SSL_new(shared->context.get()));
  BIO* const in = BIO_new(BIO_s_mem());
  BIO* const out = BIO_new(BIO_s_mem());
  SSL_set_bio(ssl.get(), in, out);
  SSL_set_connect_state(ssl.get());
  Peer wire(in_plain());
  const auto flush = [&, out_bio = out] {
    char byte;
    while (BIO_read(out_bio, &byte, 1) == 1) ASSERT_TRUE(wire.send({&byte, 1}));
  };
  const auto take = [&, in_bio = in] {
    const std::string byte = wire.read(1);
    ASSERT_EQ(byte.size(), 1u) << "the server ended it";
    BIO_write(in_bio, byte.data(), 1);
  };
  while (SSL_do_handshake(ssl.get()) != 1) {
    ASSERT_NO_FATAL_FAILURE(flush());
    ASSERT_NO_FATAL_FAILURE(take());
  }
  ASSERT_EQ(SSL_write(ssl.get(), kPing.data(), static_cast<int>(kPing.size())),
            static_cast<int>(kPing.size()));
  ASSERT_NO_FATAL_FAILURE(flush());
  std::string reply;
  char chunk[512];
  while (!reply.ends_with("pong")) {
    const int got = SSL_read(ssl.get(), chunk, sizeof chunk);
    if (got > 0) {
      reply.append(chunk, static_cast<size_t>(got));
    } else {
      ASSERT_NO_FATAL_FAILURE(take());
    }
  }
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 200"));
}

TEST_P(Tls, LastWordIsSentAtEveryOrderlyEnd) {
  start({"--idle-timeout-ms", "300"});
  Peer asked = connect(), idle = connect(), half = connect(), refused = connect();
  EXPECT_THAT(asked.ask(kLastPing), EndsWith("pong"));
  refused.send("GET / HTTP/9.9\r\n\r\n");
  EXPECT_THAT(refused.read_to_end(), StartsWith("HTTP/1.1 505"));
  EXPECT_THAT(half.ask(kPing), EndsWith("pong"));
  half.channel().shut_sending();
  for (Peer* peer : {&asked, &idle, &half, &refused}) {
    peer->read_to_end();
    EXPECT_TRUE(peer->ended() && !peer->was_reset());
    EXPECT_EQ(SSL_get_shutdown(peer->channel().ssl()) & SSL_RECEIVED_SHUTDOWN,
              SSL_RECEIVED_SHUTDOWN);
  }
}

TEST_P(Tls, AClientThatBreaksOffHarmsNobody) {
  start();
  for (int i = 0; i < 30; ++i) {
    Peer mid_request = connect(), silent(in_plain()), mid_handshake(in_plain()),
         garbled = connect();
    mid_request.send("GET /ping HTTP/1.1\r\nHo");
    shutdown(mid_request.channel().fd(), SHUT_WR);  // no last word of its own
    mid_handshake.send(std::string_view("\x16\x03\x01\x01\x00\x01", 6));
    EXPECT_THAT(garbled.ask(kPing), EndsWith("pong"));
    ASSERT_EQ(::send(garbled.channel().fd(), kPing.data(), kPing.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(kPing.size()));
    EXPECT_EQ(garbled.read_to_end(), "");
    if (i % 2 == 0) mid_handshake.reset();
  }
  expect_serving();
}

TEST_P(Tls, PlainHttpIsLetGoWithoutHarm) {
  start();
  for (int i = 0; i < 10; ++i) {
    Peer peer(in_plain());
    ASSERT_TRUE(peer.send(kPing));
    EXPECT_THAT(peer.read_to_end(2000), testing::Not(HasSubstr("HTTP/1.1")));
    EXPECT_TRUE(peer.ended() && !peer.was_reset());
  }
  expect_serving();
}

TEST_P(Tls, AnUnfinishedHandshakeMeetsTheDeadlineOfAHead) {
  start({"--head-timeout-ms", "300"});
  Peer silent(in_plain()), begun(in_plain());
  begun.send(std::string_view("\x16\x03\x01\x01\x00\x01", 6));
  expect_serving();
  EXPECT_EQ(silent.read_to_end(4000), "");
  EXPECT_TRUE(silent.ended());
  EXPECT_EQ(begun.read_to_end(4000), "");
  EXPECT_TRUE(begun.ended());
}

TEST_P(Tls, TermDoesNotWaitForHandshakes) {
  start({"--drain-timeout-ms", "20000"});
  Peer silent(in_plain()), begun(in_plain());
  begun.send(std::string_view("\x16\x03\x01\x01\x00\x01", 6));
  expect_serving();
  server_->send_signal(SIGTERM);
  EXPECT_EQ(server_->wait_for_exit(5000), 0);
}

// The session that a server hands out with its reply, and whether a second connection resumes it.
bool resumed_with(const Endpoint& endpoint, int version) {
  std::string error;
  const auto shared = tls::make_client_context({.verify = false, .resume = true}, error);
  SSL_CTX_set_max_proto_version(shared->context.get(), version);
  tls::SessionPtr session;
  for (int connection = 0; connection < 2; ++connection) {
    Channel channel(endpoint,
                    std::shared_ptr<const tls::ClientContext>(shared.get(), [](auto*) {}));
    if (session != nullptr) SSL_set_session(channel.ssl(), session.get());
    std::string_view rest = kLastPing;
    std::string reply;
    char chunk[512];
    for (ssize_t got = -1; got != 0;) {
      if (!rest.empty() && channel.send(rest) > 0) rest = {};
      got = channel.receive(chunk, sizeof chunk);
      if (got > 0) reply.append(chunk, static_cast<size_t>(got));
      if (got < 0 && errno != EAGAIN) break;
      pollfd ready{channel.fd(), POLLIN, 0};
      if (got < 0 && poll(&ready, 1, 5000) <= 0) break;
    }
    EXPECT_THAT(reply, EndsWith("pong")) << connection;
    EXPECT_EQ(SSL_version(channel.ssl()), version);
    if (connection == 1) return SSL_session_reused(channel.ssl()) == 1;
    session.reset(SSL_get1_session(channel.ssl()));
    channel.shut_sending();  // a session whose connection ends without it is spoilt
  }
  return false;
}

TEST_P(Tls, ResumesExactlyWhereItsNameSaysSo) {
  start();
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    EXPECT_EQ(resumed_with(server_->endpoint(), version), resumes()) << std::hex << version;
  }
}

TEST_P(Tls, OldVersionsAndForeignProtocolsAreRefused) {
  start();
  std::string error;
  auto shared = tls::make_client_context({.verify = false}, error);
  SSL_CTX* const context = shared->context.get();
  const ClientTls client(shared.get(), [](const tls::ClientContext*) {});
  const auto handshakes = [&] {
    Channel channel(server_->endpoint(), client);
    pollfd ready{channel.fd(), POLLIN, 0};
    while (channel.send("") < 0 && errno == EAGAIN && poll(&ready, 1, 5000) > 0) {
    }
    return channel.ready();
  };
  EXPECT_TRUE(handshakes());
  const unsigned char ours[] = "\x02h2\x08http/1.1";
  SSL_CTX_set_alpn_protos(context, ours, sizeof ours - 1);
  EXPECT_TRUE(handshakes());
  SSL_CTX_set_alpn_protos(context, ours, 3);  // h2 alone
  EXPECT_FALSE(handshakes());
  SSL_CTX_set_alpn_protos(context, nullptr, 0);
  SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
  SSL_CTX_set_security_level(context, 0);
  SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION);
  EXPECT_FALSE(handshakes());
  expect_serving();
}

INSTANTIATE_TEST_SUITE_P(Pipelines, Tls,
                         testing::Values("baseline,transport=tls",
                                         "fast,dispatch=thread_pool:2,transport=tls",
                                         "baseline,readiness=epoll_edge,transport=tls",
                                         "baseline,transport=tls_resumed",
                                         "fast,dispatch=thread_pool:2,transport=tls_resumed"),
                         [](const auto& info) { return pipeline_test_name(info.param); });

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The error of a handshake that trusts `pem` and calls the server `host`; empty where it trusts it.
std::string distrust(const Endpoint& endpoint, const std::string& host, const std::string& pem) {
  std::string error;
  const auto shared = tls::make_client_context({.trusted_pem = pem}, error);
  if (shared == nullptr) return error;
  Peer wire({endpoint.host, endpoint.port, false});
  const tls::SslPtr ssl = tls::make_client(*shared, host, wire.channel().fd());
  pollfd ready{wire.channel().fd(), POLLIN, 0};
  int done;
  while ((done = SSL_do_handshake(ssl.get())) != 1) {
    if (SSL_get_error(ssl.get(), done) != SSL_ERROR_WANT_READ)
      return tls::handshake_error(ssl.get());
    if (poll(&ready, 1, 5000) <= 0) return "no answer";
  }
  return "";
}

TEST(TlsCertificate, TheOneMadeIsForTheLoopbackAndWrittenOut) {
  const TemporaryDirectory directory;
  const std::string path = directory / "made.pem";
  ServerProcess server(server_command("baseline,transport=tls", {"--tls-certificate-out", path}));
  ASSERT_EQ(server.error(), "");
  const std::string pem = read_file(path);
  EXPECT_THAT(pem, StartsWith("-----BEGIN CERTIFICATE-----"));
  EXPECT_THAT(pem, testing::Not(HasSubstr("PRIVATE")));
  for (const char* host : {"localhost", "127.0.0.1", "::1"}) {
    EXPECT_EQ(distrust(server.endpoint(), host, pem), "") << host;
  }
  EXPECT_THAT(distrust(server.endpoint(), "example.org", pem), HasSubstr("hostname mismatch"));
  EXPECT_THAT(distrust(server.endpoint(), "127.0.0.2", pem), HasSubstr("IP address mismatch"));
  EXPECT_THAT(distrust(server.endpoint(), "localhost", ""), HasSubstr("not trusted"));
  // Another run's is another.
  ServerProcess other(server_command("baseline,transport=tls"));
  EXPECT_THAT(distrust(other.endpoint(), "localhost", pem), HasSubstr("not trusted"));
}

void write_identity(const std::string& certificate_path, const std::string& key_path) {
  std::string error;
  const tls::Identity made = tls::make_identity(error);
  ASSERT_EQ(error, "");
  FILE* const certificate = std::fopen(certificate_path.c_str(), "w");
  FILE* const key = std::fopen(key_path.c_str(), "w");
  PEM_write_X509(certificate, made.certificate.get());
  PEM_write_PrivateKey(key, made.key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  std::fclose(certificate);
  std::fclose(key);
}

TEST(TlsCertificate, OneGivenIsUsed) {
  const TemporaryDirectory directory;
  const std::string certificate = directory / "c.pem", key = directory / "k.pem";
  ASSERT_NO_FATAL_FAILURE(write_identity(certificate, key));
  ServerProcess server(server_command("fast,transport=tls_resumed",
                                      {"--tls-certificate", certificate, "--tls-key", key}));
  ASSERT_EQ(server.error(), "");
  EXPECT_EQ(distrust(server.endpoint(), "localhost", read_file(certificate)), "");
}

TEST(TlsCertificate, WhatCannotBeUsedIsExit3WithTheReason) {
  const TemporaryDirectory directory;
  const std::string certificate = directory / "c.pem", key = directory / "k.pem";
  const std::string other_certificate = directory / "c2.pem", other_key = directory / "k2.pem";
  const std::string text = directory / "text", absent = directory / "absent";
  ASSERT_NO_FATAL_FAILURE(write_identity(certificate, key));
  ASSERT_NO_FATAL_FAILURE(write_identity(other_certificate, other_key));
  std::ofstream(text) << "no PEM\n";
  const std::string folder = std::filesystem::path(text).parent_path();
  using Flags = std::vector<std::string>;
  const std::pair<Flags, std::string> cases[] = {
      {{"--tls-certificate", certificate}, "go together"},
      {{"--tls-key", key}, "go together"},
      {{"--tls-certificate", absent, "--tls-key", key}, absent + " cannot be read: No such file"},
      {{"--tls-certificate", certificate, "--tls-key", absent}, absent + " cannot be read"},
      {{"--tls-certificate", folder, "--tls-key", key}, folder + " cannot be read: Is a directory"},
      {{"--tls-certificate", text, "--tls-key", key}, text + " holds no PEM certificate"},
      {{"--tls-certificate", certificate, "--tls-key", text}, text + " holds no PEM key"},
      {{"--tls-certificate", certificate, "--tls-key", other_key},
       other_key + " is not the key of --tls-certificate " + certificate},
      {{"--tls-certificate-out", absent + "/c.pem"}, "cannot be written: No such file"},
  };
  for (const auto& [flags, reason] : cases) {
    ServerProcess server(server_command("fast,transport=tls", flags));
    EXPECT_EQ(server.wait_for_exit(5000), 3) << reason;
    EXPECT_THAT(server.error(), HasSubstr(reason));
  }
  ServerProcess plain(server_command("fast", {"--tls-certificate-out", absent}));
  EXPECT_EQ(plain.wait_for_exit(5000), 3);
  EXPECT_THAT(plain.error(), HasSubstr("transport=plain has no certificate"));
}

}  // namespace
}  // namespace hotlap::conformance
