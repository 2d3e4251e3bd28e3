// See load_place.h.
#include "harness/cli/load_place.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "harness/agent/file_text.h"
#include "harness/load/endpoint.h"
#include "harness/load/tls_wire.h"

namespace hotlap::cli {
namespace {

using hotlap::v1::TlsOptions;

absl::Status invalid(const std::string& why) { return absl::InvalidArgumentError(why); }

absl::StatusOr<std::string> endpoint_of(const PlaceFlags& flags,
                                        const std::vector<load::Url>& urls) {
  std::string error;
  if (!flags.unix_path.empty()) {
    const std::string path =
        absl::StrCat("unix:", std::filesystem::absolute(flags.unix_path).string());
    if (!load::Endpoint::parse(path, error)) return invalid(error);
    return path;
  }
  if (!flags.connect_to.empty()) {
    const auto parts = load::split_host_port(flags.connect_to, error);
    if (parts) error = load::fault_of_host(parts->host, parts->bracketed);
    if (!error.empty()) return invalid(absl::StrCat("--connect-to: ", error));
    return flags.connect_to;
  }
  for (const load::Url& url : urls) {
    if (absl::EqualsIgnoreCase(url.place, urls.front().place)) continue;
    return invalid(absl::StrCat("the URLs name two servers, ", urls.front().place, " and ",
                                url.place,
                                ": a load is of one; --connect-to HOST:PORT sends them all to the "
                                "same"));
  }
  return urls.front().place;
}

// What the certificate must be for, and what SNI says where it is a name.
absl::StatusOr<std::string> server_name_of(const std::vector<load::Url>& urls) {
  const std::string& name = urls.front().host;
  for (const load::Url& url : urls) {
    if (absl::EqualsIgnoreCase(url.host, name)) continue;
    return invalid(absl::StrCat("the URLs name two hosts, ", name, " and ", url.host,
                                ": a TLS connection is to one"));
  }
  return std::string(absl::StripSuffix(name, "."));
}

absl::Status trust(const std::string& path, TlsOptions& tls) {
  auto pem = agent::read_file("--ca", path);
  if (!pem.ok()) return pem.status();
  load::TlsSpec spec;
  spec.trusted_pem = *pem;
  std::string error;
  if (pem->empty() || load::TlsArm::make(spec, error) == nullptr) {
    return invalid(absl::StrCat("--ca ", path, ": there is no PEM certificate in it"));
  }
  tls.set_trusted_pem(*std::move(pem));
  return absl::OkStatus();
}

absl::Status set_tls(const PlaceFlags& flags, const std::vector<load::Url>& urls, TlsOptions& tls) {
  if (flags.insecure && !flags.authority_path.empty()) {
    return invalid("--ca would have no effect: --insecure trusts any certificate");
  }
  auto name = server_name_of(urls);
  if (!name.ok()) return name.status();
  tls.set_server_name(*std::move(name));
  tls.set_insecure(flags.insecure);
  tls.set_no_resume(flags.no_resume);
  return flags.authority_path.empty() ? absl::OkStatus() : trust(flags.authority_path, tls);
}

absl::Status refuse_tls_flags(const PlaceFlags& flags) {
  const char* const flag = !flags.authority_path.empty() ? "--ca"
                           : flags.insecure              ? "--insecure"
                           : flags.no_resume             ? "--no-tls-resume"
                                                         : nullptr;
  if (flag == nullptr) return absl::OkStatus();
  return invalid(absl::StrCat(flag, " would have no effect: the URL is http, not https"));
}

}  // namespace

void PlaceFlags::add_to(CLI::App& command) {
  command.add_option("--connect-to", connect_to, "connect to HOST:PORT, whatever the URL says");
  command.add_option("--unix", unix_path, "connect to this Unix socket");
  command.add_option("--ca", authority_path,
                     "with https: trust the certificates in this PEM file, in place of the "
                     "system's");
  command.add_flag("--insecure", insecure, "with https: accept any certificate");
  command.add_flag("--no-tls-resume", no_resume,
                   "with https: a full handshake for each connection (default: one that is opened "
                   "anew offers its last session)");
}

absl::Status PlaceFlags::set(const std::vector<load::Url>& urls,
                             hotlap::v1::LoadRequest& request) const {
  if (!connect_to.empty() && !unix_path.empty()) {
    return invalid("give either --connect-to or --unix, not both");
  }
  for (const load::Url& url : urls) {
    if (url.tls == urls.front().tls) continue;
    return invalid("the URLs mix http and https: a load speaks one of them");
  }
  auto endpoint = endpoint_of(*this, urls);
  if (!endpoint.ok()) return endpoint.status();
  request.set_endpoint(*std::move(endpoint));
  if (urls.front().tls) return set_tls(*this, urls, *request.mutable_tls());
  return refuse_tls_flags(*this);
}

absl::StatusOr<std::vector<load::Url>> parse_urls(const std::vector<std::string>& texts) {
  std::vector<load::Url> urls;
  for (const std::string& text : texts) {
    std::string error;
    auto url = load::parse_url(text, error);
    if (!url) return invalid(error);
    urls.push_back(*std::move(url));
  }
  return urls;
}

}  // namespace hotlap::cli
