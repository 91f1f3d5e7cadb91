#include "tools/workspace/protected_names.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

namespace tern {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view git_why =
    "it is inside git's own files (.git): hooks and settings there run programs";
constexpr std::string_view own_why = "it is tern's own state";
constexpr std::string_view config_why = "it is tern's own configuration";
constexpr std::string_view shell_why = "every new shell runs it";
constexpr std::string_view login_why = "it is a start-up or credentials file of this account";
constexpr std::string_view agent_why = "another agent runs what it contains";
constexpr std::string_view project_why = "an editor, hook or package manager runs what it contains";

constexpr std::pair<std::string_view, std::string_view> anywhere[] = {
    {".git", git_why},
    {".compression", own_why},
    {".tern", config_why},
    {".hg", git_why},
    {".svn", git_why},
    {".husky", project_why},
    {".vscode", project_why},
    {".idea", project_why},
    {".envrc", project_why},
    {".devcontainer", project_why},
    {".mcp.json", project_why},
    {"git~1", git_why},
    {".bashrc", shell_why},
    {".bash_profile", shell_why},
    {".bash_login", shell_why},
    {".bash_logout", shell_why},
    {".profile", shell_why},
    {".zshrc", shell_why},
    {".zshenv", shell_why},
    {".zprofile", shell_why},
    {".zlogin", shell_why},
    {".zlogout", shell_why},
    {".kshrc", shell_why},
    {".cshrc", shell_why},
    {".tcshrc", shell_why},
    {".ssh", login_why},
    {".gitconfig", login_why},
    {".netrc", login_why},
    {".claude", agent_why},
    {".codex", agent_why},
    {".gemini", agent_why},
    {".cursor", agent_why},
    {".npmrc", project_why},
    {".yarnrc", project_why},
    {".yarnrc.yml", project_why},
    {".pre-commit-config.yaml", project_why},
};

constexpr std::pair<std::string_view, std::string_view> below_home[] = {
    {".config/tern", config_why},
    {".local/state/tern", own_why},
    {".local/share/tern", own_why},
    {".config/fish", shell_why},
    {".config/git", login_why},
    {".config/autostart", login_why},
    {".config/systemd", login_why},
    {".config/environment.d", login_why},
    {".inputrc", shell_why},
    {".gnupg", login_why},
    {".npmrc", login_why},
    {".pypirc", login_why},
    {".aws", login_why},
    {".docker", login_why},
    {".kube", login_why},
    {".pam_environment", login_why},
    {".xprofile", login_why},
    {".xinitrc", login_why},
    {".xsession", login_why},
    {".Xresources", login_why},
    {".vimrc", login_why},
    {".tmux.conf", login_why},
    {".cargo/config.toml", login_why},
    {".cargo/env", shell_why},
};

void add_xdg(const char* variable, std::string_view why,
             std::vector<std::pair<fs::path, std::string_view>>& out) {
  const char* base = std::getenv(variable);
  if (base && *base == '/') out.emplace_back(fs::path(base).lexically_normal() / "tern", why);
}

bool is_directory(const std::string& path) {
  struct stat st {};
  return ::stat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode);
}

// Characters file systems ignore in names (git's own list for HFS+), as UTF-8.
bool is_ignorable(std::string_view at) {
  if (at.size() < 3 || at[0] != '\xe2') return at.substr(0, 3) == "\xef\xbb\xbf";
  unsigned char b = static_cast<unsigned char>(at[1]), c = static_cast<unsigned char>(at[2]);
  if (b == 0x80) return (c >= 0x8c && c <= 0x8f) || (c >= 0xaa && c <= 0xae);
  return b == 0x81 && c >= 0xaa && c <= 0xaf;
}

}  // namespace

std::string fold_name(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    std::string_view rest = name.substr(i);
    if (is_ignorable(rest)) {
      i += 2;
    } else if (rest.substr(0, 3) == "\xe2\x84\xaa") {  // KELVIN SIGN folds to k
      out += 'k';
      i += 2;
    } else if (rest.substr(0, 2) == "\xc5\xbf") {  // LONG S folds to s
      out += 's';
      ++i;
    } else {
      char c = name[i];
      out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  if (auto colon = out.find(':'); colon != std::string::npos && colon > 0) out.resize(colon);  // NTFS streams
  while (out.size() > 1 && out != ".." && (out.back() == '.' || out.back() == ' ')) out.pop_back();
  return out;
}

std::string_view protected_name(std::string_view folded) {
  for (const auto& [name, why] : anywhere) {
    if (folded == name) return why;
  }
  return {};
}

std::vector<std::pair<fs::path, std::string_view>> protected_in_home(const fs::path& home) {
  std::vector<std::pair<fs::path, std::string_view>> out;
  if (!home.empty()) {
    for (const auto& [name, why] : below_home) out.emplace_back(home / name, why);
    for (const auto& [name, why] : anywhere) {
      if (why == shell_why || why == login_why) out.emplace_back(home / name, why);
    }
  }
  add_xdg("XDG_CONFIG_HOME", config_why, out);
  add_xdg("XDG_STATE_HOME", own_why, out);
  add_xdg("XDG_DATA_HOME", own_why, out);
  return out;
}

bool is_git_directory(const std::string& directory) {
  struct stat st {};
  return ::stat((directory + "/HEAD").c_str(), &st) == 0 && is_directory(directory + "/objects") &&
         is_directory(directory + "/refs");
}

void list_protected_files_at(const fs::path& path, std::vector<fs::path>& out) {
  std::error_code ec;
  if (fs::is_directory(fs::symlink_status(path, ec))) {
    for (const auto& entry :
         fs::directory_iterator(path, fs::directory_options::skip_permission_denied, ec)) {
      out.push_back(entry.path());
    }
  } else {
    out.push_back(path);
  }
}

void list_protected_files(const fs::path& root, std::vector<fs::path>& out) {
  for (const auto& [name, why] : anywhere) list_protected_files_at(root / name, out);
  for (const char* below : {".git/hooks", ".git/info", ".compression/summaries"})
    list_protected_files_at(root / below, out);
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(root, fs::directory_options::skip_permission_denied, ec)) {
    if (!is_git_directory(entry.path().native())) continue;
    for (const char* below : {"", "hooks", "info"}) list_protected_files_at(entry.path() / below, out);
  }
}

const std::array<const char*, 13> run_unasked = {
    ".git",          ".compression", ".tern",   ".husky", ".vscode", ".idea",  ".envrc",
    ".devcontainer", ".mcp.json",    ".claude", ".codex", ".gemini", ".cursor"};

bool secret_name(std::string_view file_name) {
  constexpr std::array whole = {
      ".env~",        ".envrc",      ".netrc",       ".npmrc",       ".pypirc",     ".git-credentials",
      "id_rsa",       "id_ed25519",  "id_ecdsa",     "id_dsa",       "credentials", "credentials.json",
      "secrets.json", "secrets.yml", "secrets.yaml", ".htpasswd",    "shadow",      ".pgpass",
      ".my.cnf",      ".s3cfg",      ".boto",        ".vault-token", ".dockercfg",  "kubeconfig"};
  constexpr std::array endings = {".env", ".pem", ".p12", ".pfx", ".keystore", ".jks", ".kdbx", "_history"};
  constexpr std::array patterns = {"example", "sample", "template", "dist",
                                   "defaults"};  // of a file of settings, without them
  std::string name(file_name);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto ends = [&](std::string_view end) { return std::string_view(name).ends_with(end); };
  if (std::find(whole.begin(), whole.end(), name) != whole.end() ||
      std::any_of(endings.begin(), endings.end(), ends))
    return true;
  if (name.starts_with(".env.")) return std::none_of(patterns.begin(), patterns.end(), ends);
  return ends(".key") && name != ".key";
}

}  // namespace tern
