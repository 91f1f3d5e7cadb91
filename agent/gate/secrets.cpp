#include <algorithm>
#include <cctype>

#include "agent/gate/command_kinds.h"
#include "tools/workspace/protected_names.h"

namespace tern {

namespace fs = std::filesystem;

bool holds_secrets(const Place& place, const Workspace& workspace) {
  for (const fs::path& path : {place.path, place.real}) {
    if (secret_name(path.filename().native())) return true;
    if (workspace.inside(path)) continue;
    for (const fs::path& part : path)
      if (in_list(part.string(), ".ssh .gnupg .aws .azure .kube .docker gcloud .password-store keyrings"))
        return true;
  }
  return false;
}

namespace {

// "-include/etc/x" names a file below the root, "-Iinclude/x" does not, unless there were an "/x".
bool begins_at_root(const std::string& word, std::size_t slash) {
  if (slash == 0 ||
      (std::isalnum(static_cast<unsigned char>(word[slash - 1])) == 0 && word[slash - 1] != '_'))
    return true;
  std::error_code error;
  return std::filesystem::exists(word.substr(slash, word.find('/', slash + 1) - slash), error);
}

}  // namespace

std::vector<std::string> path_candidates(const std::string& word) {
  std::vector<std::string> list{word};
  if (const std::size_t equal = word.find('='); equal != std::string::npos)
    list.push_back(word.substr(equal + 1));
  if (word.size() > 2 && word[0] == '-' && word[1] != '-') {
    list.push_back(word.substr(2));
    if (word.size() > 3) list.push_back(word.substr(3));  // "-MFfile"
    for (std::size_t comma = word.find(','); comma != std::string::npos; comma = word.find(',', comma + 1))
      list.push_back(word.substr(comma + 1, word.find(',', comma + 1) - comma - 1));  // "-Wl,-Map,file"
    const std::size_t path = std::min({word.find("../"), word.find("~/"), word.find('/')});
    if (path != std::string::npos && (word[path] != '/' || begins_at_root(word, path)))
      list.push_back(word.substr(path));
  }
  // "file:///x", "FILE://host/x", "--url=file:///x"
  if (const std::size_t scheme = word.find("://");
      scheme != std::string::npos && scheme >= 4 && (word[scheme - 1] | 0x20) == 'e')
    if (const std::size_t path = word.find('/', scheme + 3); path != std::string::npos)
      list.push_back(word.substr(path));
  if (const std::size_t colon = word.find_last_of(':');
      colon != std::string::npos && !word.substr(colon + 1).starts_with("//"))
    list.push_back(word.substr(colon + 1));  // "--cov-report=html:folder"
  if (const std::size_t at = word.find('@'); at != std::string::npos) list.push_back(word.substr(at + 1));
  return list;
}

}  // namespace tern
