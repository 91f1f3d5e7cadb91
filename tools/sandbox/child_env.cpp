#include "tools/sandbox/child_env.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

namespace tern {

namespace {

constexpr std::array passed = {"HOME",
                               "USER",
                               "LOGNAME",
                               "SHELL",
                               "LANG",
                               "LANGUAGE",
                               "TZ",
                               "PATH",
                               "GOPATH",
                               "GOROOT",
                               "GOFLAGS",
                               "GOPROXY",
                               "CARGO_HOME",
                               "RUSTUP_HOME",
                               "JAVA_HOME",
                               "ANDROID_HOME",
                               "CC",
                               "CXX",
                               "CFLAGS",
                               "CXXFLAGS",
                               "LDFLAGS",
                               "MAKEFLAGS",
                               "CMAKE_GENERATOR",
                               "CMAKE_PREFIX_PATH",
                               "PKG_CONFIG_PATH",
                               "VIRTUAL_ENV",
                               "CONDA_PREFIX",
                               "CONDA_DEFAULT_ENV",
                               "PYENV_ROOT",
                               "NVM_DIR",
                               "NVM_BIN",
                               "PNPM_HOME",
                               "BUN_INSTALL",
                               "DENO_DIR",
                               "CCACHE_DIR",
                               "CCACHE_BASEDIR",
                               "SSL_CERT_FILE",
                               "SSL_CERT_DIR",
                               "XDG_CONFIG_HOME",
                               "XDG_CACHE_HOME",
                               "XDG_DATA_HOME",
                               "XDG_STATE_HOME",
                               "XDG_RUNTIME_DIR",
                               "NIX_PATH",
                               "SOURCE_DATE_EPOCH",
                               "HOSTNAME"};

// No terminal, no pager, no editor, no question; and nothing a repository's own settings name may be run by a
// git that only looks.
constexpr std::array fixed = {"TERM=dumb",
                              "NO_COLOR=1",
                              "PAGER=cat",
                              "GIT_PAGER=cat",
                              "GH_PAGER=cat",
                              "MANPAGER=cat",
                              "SYSTEMD_PAGER=cat",
                              "LESS=-FRX",
                              "EDITOR=false",
                              "VISUAL=false",
                              "GIT_EDITOR=true",
                              "GIT_SEQUENCE_EDITOR=true",
                              "GIT_TERMINAL_PROMPT=0",
                              "GIT_ASKPASS=/bin/false",
                              "SSH_ASKPASS=/bin/false",
                              "SSH_ASKPASS_REQUIRE=never",
                              "GCM_INTERACTIVE=never",
                              "GIT_SSH_COMMAND=ssh -oBatchMode=yes",
                              "GIT_OPTIONAL_LOCKS=0",
                              "GIT_CONFIG_COUNT=3",
                              "GIT_CONFIG_KEY_0=core.fsmonitor",
                              "GIT_CONFIG_VALUE_0=false",
                              "GIT_CONFIG_KEY_1=diff.external",
                              "GIT_CONFIG_VALUE_1=",
                              "GIT_CONFIG_KEY_2=credential.interactive",
                              "GIT_CONFIG_VALUE_2=false",
                              "DEBIAN_FRONTEND=noninteractive",
                              "PIP_NO_INPUT=1",
                              "npm_config_yes=true",
                              "NPM_CONFIG_UPDATE_NOTIFIER=false",
                              "HOMEBREW_NO_AUTO_UPDATE=1",
                              "PYTHONUNBUFFERED=1",
                              "CLICOLOR=0",
                              "TERN=1"};

// What makes another program run or load something; also when the person's pattern would cover it.
constexpr std::array never = {"BASH_ENV", "ENV",     "PROMPT_COMMAND", "PYTHONSTARTUP", "NODE_OPTIONS",
                              "PERL5OPT", "RUBYOPT", "SHELLOPTS",      "BASHOPTS",      "IFS",
                              "PS4",      "CDPATH"};

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

bool starts_with(std::string_view s, std::string_view prefix) { return s.substr(0, prefix.size()) == prefix; }

bool dangerous(std::string_view name) {
  return std::find(never.begin(), never.end(), name) != never.end() || starts_with(name, "LD_") ||
         starts_with(name, "DYLD_") || starts_with(name, "BASH_FUNC_") || starts_with(name, "TERN_");
}

bool named(std::string_view name, const std::vector<std::string>& allowed) {
  return std::any_of(allowed.begin(), allowed.end(), [&](const std::string& pattern) {
    if (!pattern.empty() && pattern.back() == '*')
      return pattern.size() > 1 &&
             starts_with(name, std::string_view(pattern).substr(0, pattern.size() - 1)) &&
             !looks_secret(name) && !dangerous(name);
    return name == pattern;
  });
}

// Absolute entries only: "." or an empty one would let the folder decide what "ls" is.
std::string safe_path(std::string_view path) {
  std::string kept;
  while (!path.empty()) {
    const std::size_t colon = path.find(':');
    const std::string_view entry = path.substr(0, colon);
    if (!entry.empty() && entry.front() == '/') kept.append(kept.empty() ? "" : ":").append(entry);
    path = colon == path.npos ? std::string_view() : path.substr(colon + 1);
  }
  return kept.empty() ? "/usr/local/bin:/usr/bin:/bin" : kept;
}

}  // namespace

bool looks_secret(std::string_view name) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  for (const char* part : {"KEY", "TOKEN", "SECRET", "PASSW", "PASSPHRASE", "CREDENTIAL", "AUTH", "PRIVATE",
                           "COOKIE", "SESSION"})
    if (upper.find(part) != std::string::npos) return true;
  return false;
}

std::vector<std::string> current_env() {
  std::vector<std::string> env;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) env.emplace_back(*entry);
  return env;
}

void set_variable(std::vector<std::string>& env, const std::string& entry) {
  std::erase_if(env, [&](const std::string& one) { return name_of(one) == name_of(entry); });
  env.push_back(entry);
}

std::vector<std::string> child_env(const std::vector<std::string>& parent,
                                   const std::vector<std::string>& allowed,
                                   const std::filesystem::path& temp) {
  std::vector<std::string> env(fixed.begin(), fixed.end());
  bool path = false, home = false, language = false;
  for (const std::string& entry : parent) {
    const std::string_view name = name_of(entry);
    if (name.size() == entry.size() || name == "TMPDIR") continue;
    const bool ours =
        std::find(passed.begin(), passed.end(), name) != passed.end() || starts_with(name, "LC_");
    if (!(ours && !looks_secret(name)) && !named(name, allowed)) continue;
    const auto same = [&](const std::string& e) { return name_of(e) == name; };
    env.erase(std::remove_if(env.begin(), env.end(), same), env.end());
    path = path || name == "PATH", home = home || name == "HOME",
    language = language || name == "LANG" || name == "LC_ALL";
    env.push_back(name == "PATH" ? "PATH=" + safe_path(std::string_view(entry).substr(5)) : entry);
  }
  if (!path) env.emplace_back("PATH=/usr/local/bin:/usr/bin:/bin");
  if (!home) env.emplace_back("HOME=/nonexistent");
  if (!language) env.emplace_back("LC_ALL=C.UTF-8");
  env.push_back("TMPDIR=" + (temp.empty() ? std::string("/tmp") : temp.string()));
  return env;
}

}  // namespace tern
