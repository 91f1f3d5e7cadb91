#include "agent/gate/git_call.h"

namespace tern {

GitCall git_call(const std::vector<std::string>& words) {
  GitCall call;
  std::size_t at = 1;
  for (; at < words.size() && words[at].starts_with('-'); ++at) {
    const std::string& word = words[at];
    const bool with_value =
        in_list(word, "-c -C --git-dir --work-tree --namespace --exec-path --config-env --super-prefix");
    if (word == "-C" && at + 1 < words.size()) call.folders.push_back(words[at + 1]);
    if (word.starts_with("-C") && word.size() > 2) call.folders.push_back(word.substr(2));
    call.own_settings = call.own_settings ||
                        !(word.starts_with("-C") || in_list(word, "--no-pager -P --no-optional-locks -p"));
    if (with_value) ++at;
  }
  for (; at < words.size(); ++at) call.words.push_back(words[at]);
  return call;
}

Place place_of(const GitCall& call, const CommandPlace& place) {
  Place where = place.locate(".");
  for (const std::string& folder : call.folders) {
    if (!where.error.empty()) break;
    where = CommandPlace{place.workspace, where.real}.locate(folder);
  }
  return where;
}

}  // namespace tern
