// Runs once at start.
#include "server/tls/certificate.h"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace hotlap::tls {
namespace {

constexpr long kDaySeconds = 24 * 60 * 60;
constexpr long kX509Version3 = 2;

using FilePtr = std::unique_ptr<FILE, Free<std::fclose>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>>;

struct Extension {
  int id;
  const char* value;
};
constexpr Extension kExtensions[] = {
    {NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1"},
    {NID_basic_constraints, "critical,CA:FALSE"},
    {NID_key_usage, "critical,digitalSignature"},
    {NID_ext_key_usage, "serverAuth"},
    {NID_subject_key_identifier, "hash"},
};

bool add_extensions(X509* certificate) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  for (const Extension& one : kExtensions) {
    const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, one.id, one.value));
    if (extension == nullptr || X509_add_ext(certificate, extension.get(), -1) != 1) return false;
  }
  return true;
}

bool add_name_and_serial(X509* certificate) {
  const auto* const name = reinterpret_cast<const unsigned char*>("localhost");
  X509_NAME* const subject = X509_get_subject_name(certificate);
  std::uint64_t serial = 0;
  return X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, name, -1, -1, 0) == 1 &&
         X509_set_issuer_name(certificate, subject) == 1 &&
         RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1 &&
         ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1 | 1) == 1;
}

bool sign(X509* certificate, EVP_PKEY* key) {
  return X509_set_version(certificate, kX509Version3) == 1 && add_name_and_serial(certificate) &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), -kDaySeconds) != nullptr &&
         X509_gmtime_adj(X509_getm_notAfter(certificate), 30 * kDaySeconds) != nullptr &&
         X509_set_pubkey(certificate, key) == 1 && add_extensions(certificate) &&
         X509_sign(certificate, key, EVP_sha256()) != 0;
}

// Empty where the file can be read.
std::string unreadable(const char* flag, const std::string& file) {
  const FilePtr opened(std::fopen(file.c_str(), "re"));
  char byte;
  if (opened != nullptr && (std::fread(&byte, 1, 1, opened.get()) == 1 || !ferror(opened.get()))) {
    return {};
  }
  return std::string(flag) + " " + file + " cannot be read: " + std::strerror(errno);
}

int no_pass_phrase(char*, int, int, void*) { return -1; }

}  // namespace

Identity make_identity(std::string& error) {
  Identity made{KeyPtr(EVP_EC_gen("P-256")), CertificatePtr(X509_new())};
  if (made.key == nullptr || made.certificate == nullptr ||
      !sign(made.certificate.get(), made.key.get())) {
    error = "cannot make a certificate: " + take_error();
    return {};
  }
  return made;
}

std::string use_identity_files(SSL_CTX* context, const std::string& certificate_file,
                               const std::string& key_file) {
  std::string error = unreadable("--tls-certificate", certificate_file);
  if (error.empty()) error = unreadable("--tls-key", key_file);
  if (!error.empty()) return error;
  SSL_CTX_set_default_passwd_cb(context, no_pass_phrase);
  if (SSL_CTX_use_certificate_chain_file(context, certificate_file.c_str()) != 1) {
    return "--tls-certificate " + certificate_file + " holds no PEM certificate (" + take_error() +
           ")";
  }
  if (SSL_CTX_use_PrivateKey_file(context, key_file.c_str(), SSL_FILETYPE_PEM) == 1 &&
      SSL_CTX_check_private_key(context) == 1) {
    return {};
  }
  if (ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH ||
      ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_TYPE_MISMATCH) {
    ERR_clear_error();
    return "--tls-key " + key_file + " is not the key of --tls-certificate " + certificate_file;
  }
  return "--tls-key " + key_file + " holds no PEM key without a pass phrase (" + take_error() + ")";
}

std::string write_certificate(SSL_CTX* context, const std::string& file) {
  const FilePtr out(std::fopen(file.c_str(), "we"));
  if (out != nullptr && PEM_write_X509(out.get(), SSL_CTX_get0_certificate(context)) == 1 &&
      std::fflush(out.get()) == 0) {
    return {};
  }
  return "--tls-certificate-out " + file + " cannot be written: " + std::strerror(errno);
}

}  // namespace hotlap::tls
