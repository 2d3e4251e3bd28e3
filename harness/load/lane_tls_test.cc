// The load over TLS, against the lab's own server: whom it trusts, what it resumes, and that every
// request ends in the right class.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

#include "harness/load/generator.h"
#include "harness/load/scripted_server.h"
#include "harness/load/test_certificate.h"
#include "server/conformance/pipelines.h"
#include "server/conformance/server_process.h"
#include "server/tls/socket_bio.h"

namespace hotlap::load {
namespace {

using ::testing::HasSubstr;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A server, and the certificate that it has made or was given.
class TlsServer {
 public:
  explicit TlsServer(const std::string& pipeline, const std::optional<Issued>& given = {}) {
    std::string pattern = testing::TempDir() + "hotlap-load-tls-XXXXXX";
    if (mkdtemp(pattern.data()) != nullptr) directory_ = pattern;
    const std::string path = directory_ / "made.pem";
    const bool tls = pipeline.find("transport=tls") != std::string::npos;
    std::vector<std::string> flags;
    if (tls) flags = {"--tls-certificate-out", path};
    if (given) {
      std::ofstream(directory_ / "given.pem") << given->certificate;
      std::ofstream(directory_ / "given.key") << given->key;
      flags.insert(flags.end(), {"--tls-certificate", directory_ / "given.pem", "--tls-key",
                                 directory_ / "given.key"});
    }
    server_ =
        std::make_unique<conformance::ServerProcess>(conformance::server_command(pipeline, flags));
    EXPECT_EQ(server_->error(), "");
    pem_ = read_file(path);
  }
  ~TlsServer() { std::filesystem::remove_all(directory_); }

  const std::string& pem() const { return pem_; }
  Endpoint endpoint() const {
    std::string error;
    return *Endpoint::parse(conformance::to_string(server_->endpoint()), error);
  }
  TlsSpec trusted(bool resume = false) const {
    return {.trusted_pem = pem_, .resume = resume, .server_name = "127.0.0.1"};
  }

 private:
  std::filesystem::path directory_;
  std::unique_ptr<conformance::ServerProcess> server_;
  std::string pem_;
};

struct Loaded {
  Opened opened;
  LoadReport report;
  std::string first_failure;
};

Loaded load(const TlsServer& server, const TlsSpec& tls, bool keep_alive, std::int64_t requests,
            const std::string& target = "/hello") {
  Loaded loaded;
  std::string error;
  const auto generator = Generator::start({}, 1, error);
  EXPECT_TRUE(generator) << error;
  ArmSpec spec{server.endpoint(), {RequestSpec{.target = target}}};
  spec.connections = 4;
  spec.keep_alive = keep_alive;
  spec.tls = tls;
  const std::size_t arm = generator->add_arm(std::move(spec));
  loaded.opened = generator->open(arm);
  LoadPlan plan;
  plan.requests = requests;
  loaded.report = generator->load(arm, plan, nullptr);
  loaded.first_failure = generator->first_failure(arm);
  EXPECT_EQ(loaded.report.counts.started, loaded.report.counts.classified());
  return loaded;
}

TEST(LoadTls, KeptConnectionsShakeHandsOnce) {
  for (const char* pipeline : {"fast,transport=tls", "original,transport=tls_resumed"}) {
    const TlsServer server(pipeline);
    const Loaded loaded = load(server, server.trusted(), true, 2000);
    EXPECT_EQ(loaded.opened.error, "");
    EXPECT_EQ(loaded.report.counts.ok(), 2000) << loaded.first_failure;
    EXPECT_EQ(loaded.report.tls_handshakes, 4);
    EXPECT_EQ(loaded.report.tls_resumed, 0);
  }
}

TEST(LoadTls, AConnectionARequestShakesHandsForEach) {
  const TlsServer server("fast,transport=tls");
  const Loaded loaded = load(server, server.trusted(/*resume=*/true), false, 200);
  EXPECT_EQ(loaded.report.counts.ok(), 200) << loaded.first_failure;
  EXPECT_EQ(loaded.report.tls_handshakes, 200);
  EXPECT_EQ(loaded.report.tls_resumed, 0) << "the server resumes nothing";
}

TEST(LoadTls, ResumesOnRequestWhereTheServerDoes) {
  const TlsServer server("fast,transport=tls_resumed");
  const Loaded resumed = load(server, server.trusted(/*resume=*/true), false, 200);
  EXPECT_EQ(resumed.report.counts.ok(), 200) << resumed.first_failure;
  EXPECT_EQ(resumed.report.tls_handshakes, 200);
  EXPECT_EQ(resumed.report.tls_resumed, 196) << "all but the first of each connection";
  const Loaded full = load(server, server.trusted(), false, 50);
  EXPECT_EQ(full.report.counts.ok(), 50) << full.first_failure;
  EXPECT_EQ(full.report.tls_resumed, 0);
}

TEST(LoadTls, RepliesOfManyRecordsArriveWhole) {
  const TlsServer server("fast,transport=tls");
  for (const char* target : {"/echo?size=16384", "/echo?size=70000", "/echo?size=1048576"}) {
    const Loaded loaded = load(server, server.trusted(), true, 40, target);
    EXPECT_EQ(loaded.report.counts.ok(), 40) << target << ": " << loaded.first_failure;
  }
}

TEST(LoadTls, ACertificateThatIsNotTrustedIsAFaultOfTls) {
  const TlsServer server("fast,transport=tls"), other("fast,transport=tls");
  TlsSpec spec = other.trusted();
  const Loaded foreign = load(server, spec, true, 10);
  EXPECT_THAT(foreign.opened.error, HasSubstr("the certificate is not trusted"));
  EXPECT_EQ(foreign.opened.achieved, 0);
  spec = server.trusted();
  spec.server_name = "elsewhere.example";
  EXPECT_THAT(load(server, spec, true, 10).opened.error, HasSubstr("hostname mismatch"));
  spec.verify = false;
  const Loaded unverified = load(server, spec, true, 10);
  EXPECT_EQ(unverified.report.counts.ok(), 10) << unverified.first_failure;
  spec = server.trusted();
  spec.trusted_pem = "no certificate";
  EXPECT_THAT(load(server, spec, true, 1).opened.error, HasSubstr("no certificate to trust"));
}

// Every request of a load whose connections cannot shake hands is in the class of TLS, and the
// first failure says why.
void expect_refused(const TlsServer& server, const TlsSpec& tls, const char* why) {
  const Loaded loaded = load(server, tls, false, 8);
  EXPECT_THAT(loaded.opened.error, HasSubstr(why));
  EXPECT_EQ(loaded.opened.achieved, 0);
  EXPECT_EQ(loaded.report.counts[Outcome::kTls], loaded.report.counts.started) << why;
  EXPECT_GT(loaded.report.counts.started, 0);
  EXPECT_THAT(loaded.first_failure, HasSubstr(why));
}

TEST(LoadTls, WhatIsWrongWithACertificateIsToldInWords) {
  const TestAuthority authority;
  const TlsSpec trusting{.trusted_pem = authority.pem(), .server_name = "localhost"};
  {
    const TlsServer good("fast,transport=tls", authority.issue({}));
    EXPECT_EQ(load(good, trusting, true, 10).report.counts.ok(), 10);
    TlsSpec by_address = trusting;
    by_address.server_name = "::1";
    EXPECT_EQ(load(good, by_address, true, 10).report.counts.ok(), 10);
    by_address.server_name = "127.0.0.2";
    expect_refused(good, by_address, "IP address mismatch");
    TlsSpec of_the_system = trusting;
    of_the_system.trusted_pem = "";
    expect_refused(good, of_the_system, "unable to get local issuer certificate");
  }
  const TlsServer self_signed("fast,transport=tls");
  expect_refused(self_signed, trusting, "self-signed certificate");
  const TlsServer expired("fast,transport=tls", authority.issue({.from_s = -7200, .until_s = -60}));
  expect_refused(expired, trusting, "certificate has expired");
  const TlsServer early("fast,transport=tls", authority.issue({.from_s = 1800}));
  expect_refused(early, trusting, "certificate is not yet valid");
  const TlsServer other("fast,transport=tls", authority.issue({.names = "DNS:other.test"}));
  expect_refused(other, trusting, "hostname mismatch");
}

// What a client says of itself in its first message.
struct Hello {
  std::string server_name = "(none)";
  std::string protocols;  // ALPN's list
};

int look_at_hello(SSL* ssl, int*, void* into) {
  auto& hello = *static_cast<Hello*>(into);
  const unsigned char* bytes = nullptr;
  std::size_t size = 0;
  if (SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_server_name, &bytes, &size) == 1) {
    // Two lengths and a type stand before the one name.
    hello.server_name.assign(reinterpret_cast<const char*>(bytes) + 5, size - 5);
  }
  if (SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_application_layer_protocol_negotiation, &bytes,
                                &size) == 1) {
    hello.protocols.assign(reinterpret_cast<const char*>(bytes) + 2, size - 2);
  }
  return SSL_CLIENT_HELLO_SUCCESS;
}

Hello hello_for(const std::string& server_name) {
  const TestAuthority authority;
  Hello hello;
  const tls::ContextPtr context = TestAuthority::server_context(authority.issue({}));
  SSL_CTX_set_client_hello_cb(context.get(), look_at_hello, &hello);
  const tls::SocketBio sockets;  // whose writes raise no signal when the other side has gone
  ScriptedServer server([&](Peer& peer) {
    const tls::SslPtr ssl(SSL_new(context.get()));
    sockets.attach(ssl.get(), peer.fd());
    SSL_accept(ssl.get());
  });
  std::string error;
  const auto generator = Generator::start({}, 1, error);
  ArmSpec spec{server.endpoint(), {RequestSpec{}}};
  spec.connections = 1;
  spec.tls = TlsSpec{.trusted_pem = authority.pem(), .server_name = server_name};
  EXPECT_EQ(generator->open(generator->add_arm(spec)).error, "");
  return hello;
}

TEST(LoadTls, SaysANameToTheServerButNoAddress) {
  const Hello named = hello_for("localhost");
  EXPECT_EQ(named.server_name, "localhost");
  EXPECT_EQ(named.protocols, "\x08http/1.1");
  EXPECT_EQ(hello_for("127.0.0.1").server_name, "(none)");
  EXPECT_EQ(hello_for("::1").server_name, "(none)");
}

// One that speaks HTTP/2 alone says so and ends it.
TEST(LoadTls, AServerOfAnotherProtocolIsAFaultOfTls) {
  const TestAuthority authority;
  const tls::ContextPtr context = TestAuthority::server_context(authority.issue({}));
  SSL_CTX_set_alpn_select_cb(
      context.get(),
      [](SSL*, const unsigned char**, unsigned char*, const unsigned char*, unsigned, void*) {
        return SSL_TLSEXT_ERR_ALERT_FATAL;
      },
      nullptr);
  const tls::SocketBio sockets;  // whose writes raise no signal when the other side has gone
  ScriptedServer server([&](Peer& peer) {
    const tls::SslPtr ssl(SSL_new(context.get()));
    sockets.attach(ssl.get(), peer.fd());
    SSL_accept(ssl.get());
    peer.wait_for_end();
  });
  std::string error;
  const auto generator = Generator::start({}, 1, error);
  ArmSpec spec{server.endpoint(), {RequestSpec{}}};
  spec.tls = TlsSpec{.verify = false};
  EXPECT_THAT(generator->open(generator->add_arm(spec)).error,
              HasSubstr("no application protocol"));
}

TEST(LoadTls, WhatWasAgreedOnIsTold) {
  const TlsServer server("fast,transport=tls");
  const Loaded loaded = load(server, server.trusted(), true, 10);
  EXPECT_THAT(loaded.report.tls_protocol, HasSubstr("TLSv1."));
  EXPECT_THAT(loaded.report.tls_cipher, HasSubstr("_"));
  EXPECT_EQ(loaded.report.times.connecting.count(), 4);
  const TlsServer plain("fast");
  std::string error;
  const auto generator = Generator::start({}, 1, error);
  const std::size_t arm = generator->add_arm({plain.endpoint(), {RequestSpec{.target = "/hello"}}});
  ASSERT_EQ(generator->open(arm).error, "");
  LoadPlan plan;
  plan.requests = 10;
  const LoadReport report = generator->load(arm, plan, nullptr);
  EXPECT_EQ(report.tls_protocol, "");
  EXPECT_EQ(report.times.connecting.count(), 16);
}

TEST(LoadTls, AServerThatSpeaksNoTlsIsAFaultOfTlsInEveryRequest) {
  const TlsServer plain("fast");
  TlsSpec any;
  any.verify = false;
  const Loaded loaded = load(plain, any, false, 10);
  EXPECT_THAT(loaded.opened.error, HasSubstr("a TLS server"));
  EXPECT_EQ(loaded.report.counts[Outcome::kTls], loaded.report.counts.started);
  EXPECT_GT(loaded.report.counts.started, 0);
  EXPECT_THAT(loaded.first_failure, HasSubstr("TLS handshake"));
}

}  // namespace
}  // namespace hotlap::load
