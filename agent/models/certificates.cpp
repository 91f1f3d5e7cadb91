#include "agent/models/certificates.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace tern {
namespace {

std::string env(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// A curl of our own knows no distribution's place.
std::string found_on_this_machine() {
#ifdef TERN_STATIC_CURL
  for (const char* file : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                           "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem", "/etc/pki/tls/cacert.pem"})
    if (std::ifstream(file).good()) return file;
#endif
  return {};
}

}  // namespace

Certificates certificates_from_environment(const std::function<std::string()>& built_in) {
  Certificates found{.file = env("SSL_CERT_FILE"), .folder = env("SSL_CERT_DIR"), .bundle = {}};
  if (found.file.empty()) found.file = env("CURL_CA_BUNDLE");
  if (found.file.empty() && found.folder.empty()) found.file = found_on_this_machine();
  if (const std::string extra = env("NODE_EXTRA_CA_CERTS"); !extra.empty())
    found.bundle = read_file(found.file.empty() ? built_in() : found.file) + "\n" + read_file(extra);
  return found;
}

}  // namespace tern
