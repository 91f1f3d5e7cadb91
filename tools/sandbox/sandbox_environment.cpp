// What builds cannot do without and the sandbox does not give: caches in the home directory, a .git that is
// none.
#include <algorithm>

#include "tools/sandbox/sandbox.h"
#include "tools/workspace/workspace.h"

namespace tern {
namespace {

namespace fs = std::filesystem;

struct Cache {
  const char *variable, *folder;  // the folder's name in the cache directory, where the variable is not set
};
constexpr Cache written[] = {{"GOCACHE", "go-build"},
                             {"GOLANGCI_LINT_CACHE", "golangci-lint"},
                             {"STATICCHECK_CACHE", "staticcheck"},
                             {"ZIG_GLOBAL_CACHE_DIR", "zig"}};

std::string value_of(const std::vector<std::string>& env, const std::string& name) {
  for (const std::string& entry : env)
    if (entry.starts_with(name + "=")) return entry.substr(name.size() + 1);
  return {};
}

void set(std::vector<std::string>& env, const std::string& name, const std::string& value) {
  std::erase_if(env, [&](const std::string& entry) { return entry.starts_with(name + "="); });
  env.push_back(name + "=" + value);
}

}  // namespace

void fit_environment(std::vector<std::string>& env, const Sandbox& sandbox) {
  if (!sandbox.on || sandbox.temp.empty()) return;
  const fs::path home = value_of(env, "HOME"), set_cache = value_of(env, "XDG_CACHE_HOME");
  const fs::path caches = set_cache.empty() ? home / ".cache" : set_cache;
  const auto writable = [&](const fs::path& place) {
    return is_under(sandbox.temp, place) ||
           std::any_of(sandbox.writable.begin(), sandbox.writable.end(),
                       [&](const fs::path& root) { return is_under(root, place); });
  };
  const auto place_of = [&](const char* variable, const fs::path& otherwise) {
    const std::string value = value_of(env, variable);
    return value.empty() ? otherwise : fs::path(value);
  };
  for (const Cache& cache : written)
    if (!writable(place_of(cache.variable, caches / cache.folder)))
      set(env, cache.variable, (sandbox.temp / "caches" / cache.folder).string());
  // What it holds still helps; it only learns nothing new.
  std::error_code error;
  const fs::path old = home / ".ccache";
  if (!writable(place_of("CCACHE_DIR", fs::exists(old, error) ? old : caches / "ccache"))) {
    set(env, "CCACHE_READONLY", "1");
    set(env, "CCACHE_TEMPDIR", (sandbox.temp / "caches/ccache").string());
  }
  // Nothing may be written: programs that would only keep notes of what they saw need not try.
  if (sandbox.writable.empty()) {
    set(env, "GIT_OPTIONAL_LOCKS", "0");
    set(env, "PYTHONDONTWRITEBYTECODE", "1");
  }
  // go takes the stand-in of a missing .git for a repository, and builds nothing because git does not.
  if (!sandbox.writable.empty() && !fs::is_regular_file(sandbox.writable[0] / ".git", error) &&
      !fs::exists(sandbox.writable[0] / ".git/HEAD", error)) {
    const std::string flags = value_of(env, "GOFLAGS");
    set(env, "GOFLAGS", (flags.empty() ? "" : flags + " ") + "-buildvcs=false");
  }
}

}  // namespace tern
