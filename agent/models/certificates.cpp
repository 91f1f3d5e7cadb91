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

}  // namespace

Certificates certificates_from_environment(const std::function<std::string()>& built_in) {
  Certificates found{.file = env("SSL_CERT_FILE"), .folder = env("SSL_CERT_DIR"), .bundle = {}};
  if (found.file.empty()) found.file = env("CURL_CA_BUNDLE");
  if (const std::string extra = env("NODE_EXTRA_CA_CERTS"); !extra.empty())
    found.bundle = read_file(found.file.empty() ? built_in() : found.file) + "\n" + read_file(extra);
  return found;
}

}  // namespace tern
