
#include <sys/stat.h>

#include <algorithm>
#include <cctype>

#include "agent/gate/git_call.h"
#include "tools/files/git_index.h"

namespace tern {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

// Does it print the text of files, and not just their names and numbers?
bool prints_patches(const Words& words) {
  const std::string& verb = words.front();
  const bool asked =
      has_letter(words, "puUcmLW") ||
      has_option(words,
                 "--patch --unified --cc --binary --word-diff --color-words --function-context --text "
                 "--check --inter-hunk-context --patch-with-stat");
  if (in_list(verb, "log whatchanged reflog stash diff-tree diff-index diff-files rev-list")) return asked;
  if (!in_list(verb, "show diff range-diff")) return false;
  const bool numbers =
      has_option(words,
                 "--stat --shortstat --numstat --name-only --name-status --summary --no-patch --quiet "
                 "--dirstat --raw -s");
  return asked || !numbers;
}

// "git cat-file -p 5f23da99": any file there ever was.
bool prints_object(const Words& words) {
  const auto hash = [](const std::string& word) {
    return word.size() >= 4 &&
           std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isxdigit(c); });
  };
  return words.front() == "cat-file" && !has_letter(words, "tse") &&
         std::any_of(words.begin() + 1, words.end(), hash);
}

// Paths that it keeps to, and ones it leaves out. Before "--" a word counts only where it cannot be an
// option's value.
struct Paths {
  std::vector<fs::path> only, without;
  bool revision = false;  // a word is none of them
};

// ":!x" and ":(exclude)x", taken from where the command stands; any other magic is not believed.
bool left_out(const std::string& word, const CommandPlace& place, Paths& paths) {
  for (const std::string_view sign : {":!", ":^", ":(exclude)"})
    if (word.starts_with(sign) && word.find_first_of("*?[", sign.size()) == word.npos) {
      const Place where = place.locate(word.substr(sign.size()));
      if (where.error.empty()) paths.without.push_back(where.real);
      return true;
    }
  return false;
}

Paths paths_of(const Words& words, const CommandPlace& place) {
  const bool grep = words.front() == "grep";
  Paths paths;
  bool behind = false, value = false, pattern = grep && !has_letter(words, "e");
  for (std::size_t i = words.front() == "stash" ? 2 : 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!behind && word == "--") {
      behind = true;
    } else if (!behind && is_option(word)) {
      const bool alone = in_list(word, "-p -u --patch --cached --staged --oneline -w -b") ||
                         word.find('=') != word.npos || std::isdigit(static_cast<unsigned char>(word[1]));
      value = grep ? word[1] != '-' && std::string_view("eABCm").find(word.back()) != std::string_view::npos
                   : !alone;
    } else if (pattern && !value) {
      pattern = false;
    } else if (!left_out(word, place, paths)) {
      const Place where = word.starts_with(":") ? Place{} : place.locate(word);
      if (where.error.empty() && (behind || (!value && where.exists)) && !word.starts_with(":"))
        paths.only.push_back(where.real);
      else if (behind)
        paths.only.push_back("/");  // a pattern or magic: anything
      else
        paths.revision = true;
      value = false;
    }
  }
  if (grep && paths.only.empty()) paths.only.push_back(place.cwd);  // every tracked file below where it is
  return paths;
}

bool below_any(const std::vector<fs::path>& list, const fs::path& path) {
  return std::any_of(list.begin(), list.end(), [&](const fs::path& top) { return is_under(top, path); });
}

// As git sees it: nothing to compare where size and time are those of the index.
bool untouched(const TrackedFile& file) {
  struct ::stat now {};
  return ::lstat(file.path.c_str(), &now) == 0 && static_cast<std::uint32_t>(now.st_size) == file.size &&
         static_cast<std::uint32_t>(now.st_mtim.tv_sec) == file.seconds &&
         (file.nanoseconds == 0 || static_cast<std::uint32_t>(now.st_mtim.tv_nsec) == file.nanoseconds);
}

fs::path patch_shows(const Words& words, const CommandPlace& place, const Wanted& wanted) {
  const Paths paths = paths_of(words, place);
  const bool work_tree =
      words.front() == "diff" && !paths.revision && !has_option(words, "--cached --staged");
  fs::path shown;
  const auto take = [&](const TrackedFile& file) {
    if (!paths.only.empty() && !below_any(paths.only, file.path)) return false;
    return !below_any(paths.without, file.path) && wanted(shown = file.path) &&
           !(work_tree && untouched(file));
  };
  return any_tracked_above(place.cwd, take) ? shown : fs::path();
}

}  // namespace

fs::path git_shows(const ShellCommand& command, const CommandPlace& place, const Wanted& wanted) {
  const GitCall call = git_call(words_of(command));
  if (call.words.empty()) return {};
  const Place where = place_of(call, place);
  const CommandPlace there{place.workspace, where.error.empty() ? where.real : place.cwd};
  const bool prints = call.words.front() == "grep" || prints_patches(call.words) || prints_object(call.words);
  return prints ? patch_shows(call.words, there, wanted) : fs::path();
}

}  // namespace tern
