#include "agent/gate/trust.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "agent/gate/call_words.h"
#include "tools/workspace/private_file.h"
#include "tools/workspace/workspace.h"

namespace tern {

namespace {

namespace fs = std::filesystem;

fs::path resolved(const fs::path& folder) {
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  return error ? fs::path() : real;
}

fs::path home() {
  const char* text = std::getenv("HOME");
  return text == nullptr || *text != '/' ? fs::path() : resolved(text);
}

// So wide that trusting it says nothing about what lies below.
bool too_wide(const fs::path& folder) {
  return folder == "/" || folder == home() || folder == "/tmp" || folder == "/home" || folder == "/var/tmp" ||
         is_under(folder, home());
}

// What `git init` puts there by itself, samples, runs nothing: git looks for these names. The folder is not
// opened for that.
bool only_samples(const fs::path& hooks) {
  struct stat info {};
  if (hooks.filename() != "hooks" || ::lstat(hooks.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return false;
  const auto there = [&](std::string_view name) { return ::lstat((hooks / name).c_str(), &info) == 0; };
  constexpr std::string_view names =
      "applypatch-msg commit-msg fsmonitor-watchman p4-changelist p4-post-changelist "
      "p4-pre-submit post-applypatch post-checkout post-commit post-index-change post-merge "
      "post-receive post-rewrite post-update pre-applypatch pre-auto-gc pre-commit "
      "pre-merge-commit pre-push pre-rebase pre-receive prepare-commit-msg proc-receive "
      "push-to-checkout update sendemail-validate reference-transaction p4-prepare-changelist";
  return first_of(names, there).empty();
}

}  // namespace

TrustList::TrustList(fs::path file) : file_(std::move(file)) {
  if (file_.empty() || !is_private_file(file_)) return;
  std::ifstream in(file_);
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line.front() == '/') folders_.emplace_back(line);
}

bool TrustList::trusted(const fs::path& folder) const {
  const fs::path real = resolved(folder);
  if (real.empty()) return false;
  return std::any_of(folders_.begin(), folders_.end(), [&](const fs::path& known) {
    return known == real || (!too_wide(known) && is_under(known, real));
  });
}

std::string TrustList::trust(const fs::path& folder) {
  const fs::path real = resolved(folder);
  if (real.empty()) return folder.string() + ": " + std::strerror(errno);
  if (real.string().find('\n') != std::string::npos)
    return "a folder with a line break in its name is trusted for this session only";
  if (trusted(real)) return {};
  folders_.push_back(real);
  return save();
}

std::string TrustList::forget(const fs::path& folder) {
  const fs::path real = resolved(folder);
  folders_.erase(std::remove_if(folders_.begin(), folders_.end(),
                                [&](const fs::path& known) { return known == real || known == folder; }),
                 folders_.end());
  return save();
}

std::string TrustList::save() const {
  if (file_.empty()) return "there is no home directory to keep the list of trusted folders in";
  std::string text;
  for (const fs::path& folder : folders_) text += folder.string() + "\n";
  return write_private_file(file_, text);
}

std::vector<std::string> claims_of(const fs::path& folder) {
  struct Claim {
    const char *name, *what;
  };
  static constexpr Claim claims[] = {{"AGENTS.md", "instructions for the model"},
                                     {"CLAUDE.md", "instructions for the model"},
                                     {"GEMINI.md", "instructions for the model"},
                                     {".compression/config.json", "settings"},
                                     {".compression/tern.db", "a history of earlier conversations"},
                                     {".tern", "settings"},
                                     {".mcp.json", "servers to start"},
                                     {".claude", "settings, hooks and commands"},
                                     {".agents", "skills and commands"},
                                     {".envrc", "variables and commands"},
                                     {".env", "variables"},
                                     {".git/hooks", "commands git runs"}};
  std::vector<std::string> found;
  for (const Claim& claim : claims) {
    struct stat info {};
    if (::lstat((folder / claim.name).c_str(), &info) == 0 && !only_samples(folder / claim.name))
      found.push_back(std::string(claim.name) + ": " + claim.what +
                      (S_ISLNK(info.st_mode) ? " (a link)" : ""));
  }
  return found;
}

fs::path default_trust_file() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/')
    return fs::path(state) / "tern" / "trusted-folders";
  const char* text = std::getenv("HOME");
  return text == nullptr || *text != '/' ? fs::path() : fs::path(text) / ".local/state/tern/trusted-folders";
}

}  // namespace tern
