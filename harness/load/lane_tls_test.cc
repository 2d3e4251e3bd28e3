// The load over TLS, against the lab's own server: whom it trusts, what it resumes, and that every
// request ends in the right class.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "harness/load/generator.h"
#include "server/conformance/pipelines.h"
#include "server/conformance/server_process.h"

namespace hotlap::load {
namespace {

using ::testing::HasSubstr;

// A server, and the certificate that it has made.
class TlsServer {
 public:
  explicit TlsServer(const std::string& pipeline) {
    std::string pattern = testing::TempDir() + "hotlap-load-tls-XXXXXX";
    if (mkdtemp(pattern.data()) != nullptr) directory_ = pattern;
    const std::string path = directory_ / "made.pem";
    const bool tls = pipeline.find("transport=tls") != std::string::npos;
    std::vector<std::string> flags;
    if (tls) flags = {"--tls-certificate-out", path};
    server_ =
        std::make_unique<conformance::ServerProcess>(conformance::server_command(pipeline, flags));
    EXPECT_EQ(server_->error(), "");
    std::ifstream in(path);
    pem_.assign(std::istreambuf_iterator<char>(in), {});
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
