// The sessions that a project keeps, for clients: listed, and taken from the list. Pure but for the store
// they read.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tern {

// The result of "session/list", a page at a time; `cursor` is where the one before ended. The sessions are
// named with their folder.
nlohmann::json stored_sessions(const std::filesystem::path& cwd, const std::filesystem::path& state_dir,
                               const std::string& cursor);

// False: there is none.
bool hide_session(const std::filesystem::path& cwd, const std::filesystem::path& state_dir,
                  const std::string& id);

}  // namespace tern
