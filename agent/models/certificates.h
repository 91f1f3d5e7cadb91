// Where to find certificates. curl the library reads none of the usual variables by itself.
#pragma once

#include <functional>
#include <string>

namespace tern {

struct Certificates {
  std::string file, folder;
  std::string bundle;  // the certificates themselves, when more are added to those of `file`
};

// SSL_CERT_FILE, SSL_CERT_DIR, CURL_CA_BUNDLE and NODE_EXTRA_CA_CERTS. `built_in` names the file that is used
// without any; it is only asked when something is added to that.
Certificates certificates_from_environment(const std::function<std::string()>& built_in);

}  // namespace tern
