// Which rules hold in a repository from outside its own folders: the person's excludes, as their git config
// names them, and the repository's info/exclude, wherever its .git leads.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "tools/workspace/ignore.h"

namespace tern {

namespace fs = std::filesystem;

namespace {

std::string read_text(const fs::path& path) {
  std::error_code ec;
  if (!fs::is_regular_file(path, ec)) return {};
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

fs::path from_environment(const char* name, const char* below = "") {
  const char* value = std::getenv(name);
  return value && *value ? fs::path(value) / below : fs::path();
}

std::string trimmed(std::string text) {
  auto blank = [](unsigned char c) { return std::isspace(c) != 0; };
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), blank));
  text.erase(std::find_if_not(text.rbegin(), text.rend(), blank).base(), text.end());
  return text;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// A value as git's config has it: quotes and backslashes undone, a comment behind it left out.
std::string config_value(std::string_view raw) {
  std::string out;
  bool quoted = false;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && (raw[i] == '#' || raw[i] == ';')) {
      break;
    } else {
      out += raw[i] == '\\' && i + 1 < raw.size() ? raw[++i] : raw[i];
    }
  }
  return quoted ? out : trimmed(out);
}

// Takes core.excludesFile of a config file over into `excludes` where it is set; the last one counts, an
// empty one, too.
void take_excludes_file(const fs::path& config, std::optional<std::string>& excludes) {
  std::istringstream lines(read_text(config));
  bool core = false;
  for (std::string line; std::getline(lines, line);) {
    line = trimmed(line);
    if (!line.empty() && line[0] == '[') {
      std::size_t close = line.find(']');
      core = close != line.npos && lower(trimmed(line.substr(1, close - 1))) == "core";
      if (close != line.npos) line = trimmed(line.substr(close + 1));
    }
    std::size_t equals = line.find('=');
    if (core && equals != line.npos && lower(trimmed(line.substr(0, equals))) == "excludesfile") {
      excludes = config_value(trimmed(line.substr(equals + 1)));
    }
  }
}

fs::path global_excludes() {
  fs::path home = from_environment("HOME"), config = from_environment("XDG_CONFIG_HOME", "git");
  if (config.empty() && !home.empty()) config = home / ".config/git";
  std::optional<std::string> named;
  if (!std::getenv("GIT_CONFIG_NOSYSTEM")) take_excludes_file("/etc/gitconfig", named);
  if (auto own = from_environment("GIT_CONFIG_GLOBAL"); !own.empty()) {
    take_excludes_file(std::getenv("GIT_CONFIG_GLOBAL"), named);
  } else {
    if (!config.empty()) take_excludes_file(config / "config", named);
    if (!home.empty()) take_excludes_file(home / ".gitconfig", named);
  }
  if (!named) return config.empty() ? config : config / "ignore";
  if (named->rfind("~/", 0) == 0) return home / named->substr(2);
  return *named;
}

// .git may be a file that names the folder ("gitdir: …"), and that one may share another's (a work tree of
// it).
fs::path info_exclude(const fs::path& top) {
  std::error_code ec;
  fs::path git = top / ".git";
  std::string text = read_text(git);
  if (text.rfind("gitdir:", 0) != 0) return git / "info/exclude";
  git = top / trimmed(text.substr(7));
  if (std::string common = trimmed(read_text(git / "commondir")); !common.empty()) git /= common;
  return git / "info/exclude";
}

// `down`: from the top to the walk's root, "x/y/z/". Asks for x, x/y and x/y/z by the rules above each of
// them.
bool is_root_ignored(const IgnoreLevel* chain, const std::string& down) {
  for (std::size_t slash = down.find('/'); slash != std::string::npos; slash = down.find('/', slash + 1)) {
    std::size_t rest = down.size() - slash;
    for (const IgnoreLevel* level = chain; level; level = level->up.get()) {
      if (level->above.size() <= rest) continue;
      IgnoreMatch verdict =
          level->rules.match(std::string_view(level->above).substr(0, level->above.size() - rest), true);
      if (verdict == IgnoreMatch::ignored) return true;
      if (verdict == IgnoreMatch::kept) break;
    }
  }
  return false;
}

}  // namespace

IgnoreChain rules_of_repository(const fs::path& top, IgnoreChain chain, const std::string& above,
                                std::size_t strip) {
  IgnoreLevel level{
      .up = std::move(chain), .rules = {}, .above = above, .strip = strip, .git = true, .top = true};
  if (auto global = global_excludes(); !global.empty()) level.rules = IgnoreRules::parse(read_text(global));
  auto outer = std::make_shared<const IgnoreLevel>(std::move(level));
  auto rules = IgnoreRules::parse(read_text(info_exclude(top)));
  if (rules.empty()) return outer;
  return std::make_shared<const IgnoreLevel>(
      IgnoreLevel{.up = outer, .rules = std::move(rules), .above = above, .strip = strip, .git = true});
}

IgnoreChain rules_above(const fs::path& root) {
  std::error_code ec;
  fs::path top = root;
  while (!fs::exists(top / ".git", ec) && top.has_relative_path()) top = top.parent_path();
  if (!fs::exists(top / ".git", ec)) top = root;
  auto below = [&](const fs::path& directory) {
    std::string text = root.lexically_relative(directory).native();
    return text == "." ? std::string() : text + "/";
  };
  IgnoreChain chain = rules_of_repository(top, nullptr, below(top), 0);
  auto add = [&](const fs::path& file, std::string above, bool git) {
    auto rules = IgnoreRules::parse(read_text(file));
    if (rules.empty()) return;
    chain = std::make_shared<const IgnoreLevel>(IgnoreLevel{
        .up = chain, .rules = std::move(rules), .above = std::move(above), .strip = 0, .git = git});
  };
  std::vector<fs::path> directories;
  for (fs::path at = root; at != top; at = at.parent_path()) directories.push_back(at.parent_path());
  for (auto at = directories.rbegin(); at != directories.rend(); ++at) {
    add(*at / ".gitignore", below(*at), true);
    add(*at / ".ignore", below(*at), false);
  }
  if (is_root_ignored(chain.get(), below(top))) return nullptr;
  return chain;
}

}  // namespace tern
