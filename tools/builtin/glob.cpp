#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>

#include "tools/files/change.h"
#include "tools/files/change_preview.h"
#include "tools/files/encoding.h"
#include "tools/search/search.h"
#include "tools/set/args.h"
#include "tools/set/tool.h"
#include "tools/workspace/ignore.h"
#include "tools/workspace/lookalike.h"
#include "tools/workspace/walk.h"

namespace tern {

using nlohmann::json;

namespace {

constexpr std::size_t most_shown = 100;

struct Hit {
  std::int64_t mtime_ns;
  std::string path;
  bool operator<(const Hit& other) const {
    return mtime_ns != other.mtime_ns ? mtime_ns > other.mtime_ns : path < other.path;
  }
};

// "/abs/dir/**/*.c" or "../lib/*.c": the part before the first wildcard is where to start. False: the pattern
// stays whole.
bool split_pattern(std::string& base, std::string& pattern) {
  std::size_t wild = pattern.find_first_of("*?[{");
  std::size_t slash = pattern.rfind('/', wild == pattern.npos ? pattern.npos : wild);
  bool absolute = !pattern.empty() && (pattern[0] == '/' || pattern[0] == '~');
  if (slash == pattern.npos || !(absolute || climbs(pattern.substr(0, slash)))) return false;
  std::string start = pattern.substr(0, std::max<std::size_t>(slash, 1));
  base = absolute ? start : base + "/" + start;
  pattern = pattern.substr(slash);  // its "/" ties it to the base
  return true;
}

struct Found {
  std::vector<Hit> hits;
  std::size_t ignored_hits = 0;
  bool stopped = false;
};

Found find_files(const std::filesystem::path& root, const GlobSet& globs, const std::string& from,
                 std::stop_token stop) {
  Found found;
  std::mutex mutex;
  auto result = walk(root, {.report_ignored = true, .stop = stop}, [&](const WalkFile& file) {
    if (!globs.match(file.path, from)) return true;
    struct stat st {};
    if (!file.ignored) ::fstatat(file.directory, file.name, &st, AT_SYMLINK_NOFOLLOW);
    std::lock_guard lock(mutex);
    if (file.ignored) {
      ++found.ignored_hits;
    } else {
      found.hits.push_back({static_cast<std::int64_t>(st.st_mtim.tv_sec) * 1'000'000'000 + st.st_mtim.tv_nsec,
                            std::string(file.path)});
    }
    return true;
  });
  found.stopped = result.gave_up;
  std::sort(found.hits.begin(), found.hits.end());
  return found;
}

ToolOutput run_glob(const json& args, ToolContext& ctx) {
  std::string pattern = text_arg(args, "pattern"), base = text_arg(args, "path", "."), subject = pattern;
  bool split = split_pattern(base, pattern);
  Place place = ctx.workspace.locate(base);
  if (auto why = barred(place, Access::read, ctx); !why.empty()) return failure(std::move(why), subject);
  if (!place.exists) return failure(missing_file(ctx.workspace, place), subject);
  if (!std::filesystem::is_directory(place.real))
    return failure("path must be a directory: " + base + " is a file.", subject);
  if (climbs(pattern))
    return failure("\"..\" behind a wildcard matches nothing. Give the directory as path.", subject);
  std::string from = split ? "" : seen_from_cwd(ctx.workspace, place.path);
  Found found = find_files(place.real, GlobSet::one(pattern), from, ctx.stop);
  std::string text = found.hits.empty() ? "No files found" : "";
  for (std::size_t i = 0; i < std::min(most_shown, found.hits.size()); ++i) {
    text += (i ? "\n" : "") + to_valid_utf8(ctx.workspace.display(place.path / found.hits[i].path));
  }
  if (found.hits.size() > most_shown) {
    text += "\n[" + std::to_string(found.hits.size()) + " files match; the " + std::to_string(most_shown) +
            " changed last are shown. Use a more specific path or pattern.]";
  }
  if (found.ignored_hits)
    text += "\n[" + std::to_string(found.ignored_hits) + " more match but are ignored by .gitignore]";
  if (found.stopped) text += "\n[Stopped before the whole tree was walked.]";
  std::size_t n = found.hits.size();
  return {.text = std::move(text),
          .subject = std::move(subject),
          .note = std::to_string(n) + (n == 1 ? " file" : " files")};
}

std::string pattern_of(const json& args) { return text_arg(args, "pattern"); }

}  // namespace

Tool glob_tool() {
  return {
      .name = "Glob",
      .description = "Finds files by name pattern (src/**/*.ts), newest first.",
      .about = "Finds files by name.",
      .schema = R"({"type":"object","properties":{"pattern":{"type":"string"},"path":{"type":"string"}},)"
                R"("required":["pattern"]})",
      .effects = Effect::read,
      .basic = true,
      .aliases =
          "glob=pattern query=pattern globpattern=pattern dir=path directory=path dirpath=path "
          "targetdirectory=path",
      .run = run_glob,
      .subject = pattern_of,
      .label = {},
      .paths = path_of_call,
  };
}

}  // namespace tern
