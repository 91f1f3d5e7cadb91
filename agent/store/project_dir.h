// The project's own folder, `.compression/`: made private, never followed through a link, and believed only
// if it is ours. A folder that came with a clone is untrusted input: it is not opened, and its history never
// reaches a model without a yes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tern {

struct ProjectDir {
  enum class State {
    ours,      // made by us, token matches
    foreign,   // a plain folder of our shape whose token we do not know: ask, then adopt()
    refused,   // symlink, tracked by git, other owner, writable by others …: never used
    readonly,  // the project cannot be written: history goes to the state folder
    absent,    // nothing there (only when `create` was false)
  };
  State state = State::absent;
  std::filesystem::path
      folder;  // where the store goes: `.compression/`, or the stand-in below the state folder
  std::filesystem::path project;  // `.compression/` itself
  std::string why;                // for people, with the way out; empty when ours
  bool usable_config() const { return state == State::ours; }
};

struct ProjectDirOptions {
  std::filesystem::path root;       // the project (its `.compression/` is a child)
  std::filesystem::path state_dir;  // --state-dir: everything goes there instead; empty = the project
  bool create = true;
};
ProjectDir open_project_dir(const ProjectDirOptions& options);
// After the person said yes to a foreign folder: from now on it carries our token.
ProjectDir adopt_project_dir(const ProjectDirOptions& options);

// XDG_STATE_HOME/tern or ~/.local/state/tern, made 0700. Empty when there is no home.
std::filesystem::path user_state_dir();
// Below it, one per project by its path: prompts said there, drafts, and the history when `.compression/`
// cannot be used.
std::filesystem::path project_state_dir(const std::filesystem::path& root);

// The parts of the project's config.json that only show what is in force: "about", "effective", "from".
bool is_shown_part(std::string_view key);
// Whether the file sets something; also when it cannot be read as JSON.
bool sets_something(const std::filesystem::path& config_file);

// Opened with 0600, never through a link, replaced as a whole (temp, fsync, rename). False and `why` when
// not.
bool write_private_file(const std::filesystem::path& file, std::string_view bytes, std::string& why);
// Made 0700, also its missing parents below an existing folder; never through a link.
bool make_private_dir(const std::filesystem::path& folder, std::string& why);

}  // namespace tern
