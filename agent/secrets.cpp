#include <algorithm>
#include <cctype>

#include "agent/command_kinds.h"

namespace tern {

namespace fs = std::filesystem;

bool holds_secrets(const Place& place, const Workspace& workspace) {
  for (const fs::path& path : {place.path, place.real}) {
    std::string name = path.filename().string();
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto ends = [&](std::string_view end) {
      return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
    };
    if (ends(".env") || name == ".env~" || name == ".envrc" ||
        (name.rfind(".env.", 0) == 0 && !ends("example") && !ends("sample") && !ends("template") && !ends("dist") &&
         !ends("defaults")))
      return true;
    if (ends(".pem") || ends(".p12") || ends(".pfx") || ends(".keystore") || ends(".jks") || ends(".kdbx") ||
        (ends(".key") && name != ".key") || ends("_history"))
      return true;
    if (in_list(name,
                ".netrc .npmrc .pypirc .git-credentials id_rsa id_ed25519 id_ecdsa id_dsa credentials credentials.json "
                "secrets.json secrets.yml secrets.yaml .htpasswd shadow .pgpass .my.cnf .s3cfg .boto .vault-token .dockercfg "
                "kubeconfig"))
      return true;
    if (workspace.inside(path)) continue;
    for (const fs::path& part : path)
      if (in_list(part.string(), ".ssh .gnupg .aws .azure .kube .docker gcloud .password-store keyrings")) return true;
  }
  return false;
}

std::vector<std::string> path_candidates(const std::string& word) {
  std::vector<std::string> list{word};
  if (const std::size_t equal = word.find('='); equal != std::string::npos) list.push_back(word.substr(equal + 1));
  if (word.size() > 2 && word[0] == '-' && word[1] != '-') {
    list.push_back(word.substr(2));
    if (const std::size_t path = std::min({word.find("../"), word.find("~/"), word.find('/')}); path != std::string::npos)
      list.push_back(word.substr(path));
  }
  if (const std::size_t at = word.find('@'); at != std::string::npos) list.push_back(word.substr(at + 1));
  return list;
}

}  // namespace tern
