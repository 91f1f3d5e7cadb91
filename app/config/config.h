// What holds, and why: defaults < the person's file < the project's file (compression only) < environment <
// flags. Every value knows where it came from. A wrong key or value is named, with the nearest known one, and
// leaves the rest alone.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/gate/permission.h"
#include "agent/protocol/list_event.h"
#include "app/config/settings.h"
#include "ui/terminal/osc.h"

namespace tern {

struct Options;
struct ConfigFlag {
  std::string key, value, origin;  // origin: "--model"
};
// What of the command line is configuration. Rules and folders of flags come on top of those of the file, so
// they stay in Options.
std::vector<ConfigFlag> config_flags(const Options& options);

struct ConfigSources {
  std::filesystem::path user_file;  // empty = none
  std::function<std::string(const std::string&)> env;
  std::vector<ConfigFlag> flags;  // later ones win
  std::vector<std::string>
      variables;  // the names in the environment: one that looks like a setting and is none is a problem
};
Config load_config(const ConfigSources& sources);
// Empty, or why the file that is there cannot be read: then no session starts, for its rules would be
// missing.
std::string unreadable_config(const std::filesystem::path& user_file);
// $XDG_CONFIG_HOME/tern/config.json or ~/.config/tern/config.json; empty without a home.
std::filesystem::path user_config_file(const std::function<std::string(const std::string&)>& env);

// The project's own file: compression keys only. Anything else in it is refused and named. What environment
// or flags have set stays. Returns the problems.
std::vector<std::string> read_project_config(const std::filesystem::path& project_dir, Config& config);
// Shows the values in force in the project's file, beside what is set there: "effective" and "from", which
// are never read. Makes the file where there is none. One with comments, or one that is no JSON, is left as
// it is. Returns the problem.
std::string show_in_project_config(const std::filesystem::path& project_dir, const Config& config);
// JSON text of changed compression keys into the project's file (comments of the old file are not kept);
// `now` follows. Without a folder they hold for this session only. Returns what changed, a line each, or what
// is wrong (then nothing is written); all the settings when no key is given.
std::string change_project_config(const std::filesystem::path& project_dir, const std::string& json,
                                  CompressionConfig& now, bool& changed);

// One value by its key, as text or JSON text ("compression.microAt" = "0.6"); the reason when it is not
// taken.
std::string set_config(Config& config, std::string_view key, std::string_view value, std::string_view origin);
// Every key with its value, its help and, when asked, its origin; secrets are never shown.
std::string config_text(const Config& config, bool origins);
std::vector<ListRow> config_rows(const Config& config);
std::string config_json(const Config& config, std::string_view part = {});  // of the keys that hold `part`

TerminalWishes terminal_wishes(const Config& config);
// The permission rules of the three lists; a rule that is none is added to `problems`.
std::vector<PermissionRule> permission_rules(const Config& config, const ToolSet& tools,
                                             std::vector<std::string>& problems);

}  // namespace tern
