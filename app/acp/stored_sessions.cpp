#include "app/acp/stored_sessions.h"

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>

#include "agent/store/export_summaries.h"
#include "agent/store/project_dir.h"
#include "agent/store/store.h"

namespace tern {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::size_t page = 50, most = 10'000;

std::unique_ptr<Store> open_store(const fs::path& cwd, const fs::path& state_dir, bool read_only) {
  const auto project = open_project_dir({.root = cwd, .state_dir = state_dir, .create = false});
  std::error_code error;
  if (project.folder.empty() || !fs::is_regular_file(project.folder / "tern.db", error)) return nullptr;
  return Store::open({.folder = project.folder, .read_only = read_only});
}

json session_row(const SessionRow& row, const fs::path& cwd) {
  json one;
  one["sessionId"] = row.id;
  one["cwd"] = row.cwd.empty() ? cwd.string() : row.cwd;
  one["title"] = row.name.empty() ? row.first_prompt.substr(0, row.first_prompt.find('\n')) : row.name;
  one["updatedAt"] = iso_time(row.updated);
  return one;
}

}  // namespace

json stored_sessions(const fs::path& cwd, const fs::path& state_dir, const std::string& cursor) {
  json result;
  auto& list = result["sessions"] = json::array();
  const auto store = open_store(cwd, state_dir, true);
  if (!store) return result;
  const auto from = std::strtoull(cursor.c_str(), nullptr, 10);
  if (from >= most) return result;
  const auto rows = store->sessions({}, from + page + 1);
  for (std::size_t i = from; i < rows.size() && i < from + page; ++i)
    list.push_back(session_row(rows[i], cwd));
  if (rows.size() > from + page) result["nextCursor"] = std::to_string(from + page);
  return result;
}

bool hide_session(const fs::path& cwd, const fs::path& state_dir, const std::string& id) {
  const auto store = open_store(cwd, state_dir, false);
  return store && store->hide(id);
}

}  // namespace tern
