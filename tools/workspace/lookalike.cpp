#include "tools/workspace/lookalike.h"

#include <algorithm>
#include <mutex>

#include "tools/set/args.h"
#include "tools/workspace/walk.h"

namespace tern {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most = 3, most_walked = 50'000;

// 0 = the same but for case; larger is worse; nullopt = not like it.
std::optional<std::size_t> unlikeness(const fs::path& wanted, const fs::path& name) {
  std::string a = plain_name(wanted.native()), b = plain_name(name.native());
  if (a == b) return 0;
  if (wanted.stem() == name.stem()) return 1;
  std::size_t distance = edit_distance(a, b), allowed = std::max<std::size_t>(1, a.size() / 4);
  if (distance <= allowed) return 1 + distance;
  if (a.size() > 3 && b.find(a) != std::string::npos) return 6;
  return std::nullopt;
}

}  // namespace

std::vector<std::string> look_alikes(const Workspace& workspace, const Place& place) {
  std::vector<std::pair<std::size_t, std::string>> found;
  fs::path wanted = place.path.filename();
  std::error_code ec;
  if (workspace.inside(place.real.parent_path())) {
    for (const auto& entry : fs::directory_iterator(place.path.parent_path(), ec)) {
      if (auto score = unlikeness(wanted, entry.path().filename()))
        found.emplace_back(*score, workspace.display(entry.path()));
    }
  }
  if (found.empty()) {
    std::mutex mutex;
    walk(workspace.root(), {.most = most_walked}, [&](const WalkFile& file) {
      if (wanted.native() != file.name) return true;
      std::lock_guard lock(mutex);
      found.emplace_back(file.path.size(), std::string(file.path));
      return found.size() < 100;
    });
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (auto& [score, name] : found) {
    if (names.size() < most) names.push_back(std::move(name));
  }
  return names;
}

std::string missing_file(const Workspace& workspace, const Place& place) {
  std::string text =
      "File does not exist. Note: your current working directory is " + workspace.cwd().native() + ".";
  auto names = look_alikes(workspace, place);
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? " Did you mean " : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text + (names.empty() ? "" : "?");
}

}  // namespace tern
