// What a search through whole folders would show of files that may hold keys.
#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <mutex>

#include "agent/gate/command_kinds.h"
#include "compression/text/plain_text.h"
#include "tools/search/search.h"
#include "tools/workspace/protected_names.h"
#include "tools/workspace/walk.h"

namespace tern {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 100'000;  // a few tenths of a second

// Which of the files it comes by the search opens.
struct Search {
  bool folders = false;       // at all
  bool ignore_rules = false;  // and hidden files left out: rg as it is
  std::vector<std::string> take, leave, leave_folders;
};

bool matches(const std::vector<std::string>& patterns, const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
}

// Words as option and value, whichever way the value is given: --name=value, --name value, -x value, -xvalue.
template <typename Take>
void each_value(const ShellCommand& command, const std::string& name, Take take) {
  const bool is_long = name.starts_with("--");
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string& word = command.words[i].text;
    if (word == name && i + 1 < command.words.size())
      take(command.words[i + 1].text);
    else if (is_long && word.starts_with(name + "="))
      take(word.substr(name.size() + 1));
    else if (!is_long && word.size() > 2 && word.starts_with(name))
      take(word.substr(2));
  }
}

Search grep_of(const ShellCommand& command) {
  Search search;
  search.folders = has_letter(words_of(command), "rR") || has_word(words_of(command), "--recursive");
  each_value(command, "--include", [&](std::string value) { search.take.push_back(std::move(value)); });
  each_value(command, "--exclude", [&](std::string value) { search.leave.push_back(std::move(value)); });
  each_value(command, "--exclude-dir",
             [&](std::string value) { search.leave_folders.push_back(std::move(value)); });
  return search;
}

// A pattern given by -g lifts hidden and ignored files that it names.
Search rg_of(const ShellCommand& command) {
  Search search{.folders = !has_word(words_of(command), "--files --type-list")};
  for (const char* option : {"-g", "--glob", "--iglob"})
    each_value(command, option, [&](const std::string& value) {
      if (!value.starts_with("!"))
        search.take.push_back(value.substr(value.rfind('/') + 1));
      else if (value.find('/') == value.npos)
        search.leave.push_back(value.substr(1));
    });
  search.ignore_rules = search.take.empty() && !has_letter(words_of(command), "u.") &&
                        !has_word(words_of(command), "--hidden --no-ignore --unrestricted");
  for (const char* option : {"-t", "--type"})
    each_value(command, option, [&](const std::string& value) {
      const auto patterns = type_patterns(value);
      search.take.insert(search.take.end(), patterns.begin(), patterns.end());
    });
  return search;
}

Search search_of(const ShellCommand& command) {
  const std::string_view program = program_name(command.words[0].text);
  if (program.ends_with("grep")) return grep_of(command);
  if (program == "rg") return rg_of(command);
  return {.folders = program == "diff" && !has_letter(words_of(command), "q") &&
                     !has_word(words_of(command), "--brief")};
}

// `inside`: its folder, as seen from the workspace.
bool opens(const Search& search, const std::string& name, const fs::path& inside) {
  if (search.ignore_rules && name[0] == '.') return false;
  for (const fs::path& part : inside) {
    const std::string folder = part.string();
    if (matches(search.leave_folders, folder)) return false;
    if (search.ignore_rules && folder[0] == '.' && folder != "." && folder != "..") return false;
  }
  return search.take.empty() ? !matches(search.leave, name) : matches(search.take, name);
}

std::vector<fs::path> folders_of(const std::vector<ShellWord>& operands, const CommandPlace& place) {
  std::vector<fs::path> folders;
  bool named = false;
  std::error_code error;
  for (const ShellWord& word : operands) {
    const Place where = place.locate(word);
    named = named || where.exists;
    if (fs::is_directory(where.real, error)) folders.push_back(where.real);
  }
  if (!named) folders.push_back(place.cwd);
  return folders;
}

}  // namespace

fs::path search_shows(const ShellCommand& command, const std::vector<ShellWord>& operands,
                      const CommandPlace& place, const Wanted& wanted, bool* gave_up) {
  if (program_name(command.words[0].text) == "git") return git_shows(command, place, wanted);
  const Search search = search_of(command);
  if (!search.folders) return {};
  for (const fs::path& folder : folders_of(operands, place)) {
    const fs::path inside = folder.lexically_relative(place.workspace.root());
    std::mutex mutex;
    fs::path shown;
    const WalkOptions how{.use_ignore = search.ignore_rules, .most = most_files, .stop = {}};
    const auto walked = walk(folder, how, [&](const WalkFile& file) {
      const fs::path path(file.path);
      if (!wanted(folder / path) || !opens(search, file.name, inside / path.parent_path())) return true;
      const std::lock_guard lock(mutex);
      shown = folder / path;
      return false;
    });
    if (!shown.empty()) return shown;
    if (walked.gave_up && gave_up) *gave_up = true;
  }
  return {};
}

namespace {

// What projects keep in git without a thought: settings that only sometimes hold a key.
bool holds_no_key(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(64 << 10, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  text = lowered(text);
  const auto has = [&](const char* word) { return text.find(word) != text.npos; };
  return !has("token") && !has("secret") && !has("passw") && !has("key") && !has("auth");
}

// Keys made for tests, and packages' own, are nobody's secret.
bool kept_for_tests(const fs::path& path, const CommandPlace& place) {
  const std::string name = path.filename().native();
  if (name.starts_with(".env") || name.find(".env") != name.npos) return false;
  const fs::path folders = path.parent_path().lexically_relative(place.workspace.root());
  for (const fs::path& part : folders)
    if (in_list(part.native(), "test tests testing testdata test-data fixtures __tests__ spec examples"))
      return true;
  return false;
}

}  // namespace

std::string search_shows_secret(const ShellCommand& command, const std::vector<ShellWord>& operands,
                                const CommandPlace& place) {
  bool gave_up = false;
  const bool git = program_name(command.words[0].text) == "git";
  const auto secret = [&](const fs::path& path) {
    const std::string name = path.filename().native();
    // Packages bring keys for their own tests.
    if (!secret_name(name) || path.native().find("/node_modules/") != std::string::npos) return false;
    return !git || !(kept_for_tests(path, place) || (in_list(name, ".npmrc .envrc") && holds_no_key(path)));
  };
  const fs::path shown = search_shows(command, operands, place, secret, &gave_up);
  if (!shown.empty())
    return place.workspace.display(shown) + " may hold secrets, and " + (git ? "git" : "the search") +
           " would show it; name other paths to look at";
  return gave_up ? "searches more files than tern can check for secrets first" : "";
}

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
