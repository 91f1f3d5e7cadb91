#include "agent/store/store_migrate.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tern {
namespace {

namespace fs = std::filesystem;

void back_up(Sqlite& db, const fs::path& file, std::size_t version) {
  const fs::path copy = file.string() + ".backup-v" + std::to_string(version);
  if (is_there(copy)) return;
  create_private(copy);
  db.run("VACUUM INTO ?1", {std::string_view(copy.native())});
}

}  // namespace

void create_private(const fs::path& file) {
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd >= 0) ::close(fd);
}

bool is_there(const fs::path& file) {
  struct stat info {};
  return ::lstat(file.c_str(), &info) == 0;
}

void migrate(Sqlite& db, const fs::path& file, const std::vector<const char*>& steps) {
  const auto version = static_cast<std::size_t>(db.integer("PRAGMA user_version"));
  if (version >= steps.size()) return;
  if (version > 0) back_up(db, file, version);
  db.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have been faster.
    for (auto at = static_cast<std::size_t>(db.integer("PRAGMA user_version")); at < steps.size(); ++at) {
      db.exec(steps[at]);
      db.exec("PRAGMA user_version=" + std::to_string(at + 1));
    }
    db.exec("COMMIT");
  } catch (...) {
    db.exec("ROLLBACK");
    throw;
  }
}

}  // namespace tern
