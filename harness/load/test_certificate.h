// For tests: an authority that issues certificates as good or as bad as asked.
#ifndef HOTLAP_HARNESS_LOAD_TEST_CERTIFICATE_H_
#define HOTLAP_HARNESS_LOAD_TEST_CERTIFICATE_H_

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

#include "server/tls/handles.h"

namespace hotlap::load {

// PEM, of a server.
struct Issued {
  std::string certificate;
  std::string key;
};

struct Wanted {
  const char* names = "DNS:localhost,IP:127.0.0.1,IP:::1";
  long from_s = -3600;  // from now on
  long until_s = 3600;
};

class TestAuthority {
  using BioPtr = std::unique_ptr<BIO, tls::Free<BIO_free>>;

 public:
  TestAuthority() : key_(EVP_EC_gen("P-256")), certificate_(X509_new()) {
    set_up(certificate_.get(), "a test's authority", Wanted{}, key_.get());
    X509_set_issuer_name(certificate_.get(), X509_get_subject_name(certificate_.get()));
    add(certificate_.get(), certificate_.get(), NID_basic_constraints, "critical,CA:TRUE");
    X509_sign(certificate_.get(), key_.get(), EVP_sha256());
  }

  std::string pem() const { return pem_of(certificate_.get()); }

  // A server's context for `issued`.
  static tls::ContextPtr server_context(const Issued& issued) {
    tls::ContextPtr context(SSL_CTX_new(TLS_server_method()));
    const BioPtr certificate(BIO_new_mem_buf(issued.certificate.data(), -1));
    const BioPtr key(BIO_new_mem_buf(issued.key.data(), -1));
    const tls::CertificatePtr read(PEM_read_bio_X509(certificate.get(), nullptr, nullptr, nullptr));
    const tls::KeyPtr private_key(PEM_read_bio_PrivateKey(key.get(), nullptr, nullptr, nullptr));
    SSL_CTX_use_certificate(context.get(), read.get());
    SSL_CTX_use_PrivateKey(context.get(), private_key.get());
    return context;
  }

  Issued issue(const Wanted& wanted) const {
    const tls::KeyPtr key(EVP_EC_gen("P-256"));
    const tls::CertificatePtr made(X509_new());
    set_up(made.get(), "a test's server", wanted, key.get());
    X509_set_issuer_name(made.get(), X509_get_subject_name(certificate_.get()));
    add(made.get(), certificate_.get(), NID_subject_alt_name, wanted.names);
    X509_sign(made.get(), key_.get(), EVP_sha256());
    return {pem_of(made.get()), pem_of_key(key.get())};
  }

 private:
  static void set_up(X509* made, const char* name, const Wanted& wanted, EVP_PKEY* key) {
    const auto* const text = reinterpret_cast<const unsigned char*>(name);
    X509_set_version(made, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_ASC, text, -1, -1, 0);
    X509_gmtime_adj(X509_getm_notBefore(made), wanted.from_s);
    X509_gmtime_adj(X509_getm_notAfter(made), wanted.until_s);
    X509_set_pubkey(made, key);
  }
  static void add(X509* made, X509* issuer, int id, const char* value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, made, nullptr, nullptr, 0);
    X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, id, value);
    X509_add_ext(made, extension, -1);
    X509_EXTENSION_free(extension);
  }
  static std::string text_of(BIO* memory) {
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(memory, &bytes);
    return {bytes, static_cast<std::size_t>(size)};
  }
  static std::string pem_of(X509* made) {
    const BioPtr memory(BIO_new(BIO_s_mem()));
    PEM_write_bio_X509(memory.get(), made);
    return text_of(memory.get());
  }
  static std::string pem_of_key(EVP_PKEY* key) {
    const BioPtr memory(BIO_new(BIO_s_mem()));
    PEM_write_bio_PrivateKey(memory.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
    return text_of(memory.get());
  }

  tls::KeyPtr key_;
  tls::CertificatePtr certificate_;
};

}  // namespace hotlap::load

#endif  // HOTLAP_HARNESS_LOAD_TEST_CERTIFICATE_H_
