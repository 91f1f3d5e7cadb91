// What the flags, the environment and the configuration say of a session, as one value: start.cpp fills it,
// session.h lives by it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/gate/permission.h"
#include "agent/mcp/server_entry.h"
#include "agent/models/models.h"
#include "agent/models/providers.h"
#include "agent/protocol/list_event.h"
#include "agent/turn/agent.h"
#include "app/config/config.h"
#include "app/config/user_config.h"
#include "compression/values/budget.h"
#include "tools/files/file_memory.h"

namespace tern {

// What is decided before a session exists: by flags, environment and configuration.
struct SessionSetup {
  std::filesystem::path cwd, home, state_dir, user_memory;
  std::vector<std::filesystem::path> extra_dirs, trusted;
  bool keep = true;        // false: --no-session, nothing on disk
  bool read_only = false;  // only looked at: beside a tern that has the session open, and nothing is written
  bool live = true;        // commands may come while a turn runs
  bool may_ask = true;     // somebody can be asked
  bool own_words = true;   // … and can answer in own words, not only choose
  bool asks_trust = true;  // … also whether the folder is trusted; else it stays unread
  enum class Open { fresh, newest, resume } open = Open::fresh;
  std::string open_what, name;
  bool fork = false;
  std::string model;        // "provider/name" or an alias; empty = found
  bool model_kept = false;  // it was chosen in an earlier session: not worth failing for
  Tokens window = 0;
  std::string record, replay;  // files
  std::string append_prompt;
  TurnLimits limits;
  PermissionMode mode = PermissionMode::ask;
  bool bypass_by_flag = false;
  std::vector<PermissionRule> rules;
  std::vector<std::string> without_tools, more_tools, allowed_env;
  std::vector<std::string> disabled_tools;  // those of without_tools that "tools.disabled" names
  bool sandbox_network = false;
  std::filesystem::path day_account;   // what all sessions spend in a day; empty: it is not kept
  std::filesystem::path cache_pauses;  // what pauses say of the provider's cache; empty: it is not kept
  Tokens helper_tokens = 60'000;
  std::string version;                         // of this program
  McpServers mcp;                              // of the user's file and of flags
  bool mcp_project = true;                     // the project's .mcp.json counts, too
  std::string hooks;                           // of the user's file, JSON text
  std::string language_servers;                // the same
  std::vector<std::filesystem::path> plugins;  // folders of --plugin-dir
  StatusLineSetting status_line;
  CompressionConfig compression;
  Models models;
  Environment env;
  OpenBuffer open_buffer;  // of the editor that tern works for
  std::function<void(const ProviderKind&, ProviderConfig&)>
      adjust_provider;  // base URLs and keys of the user's file
  // The project's own settings once its folder is trusted, and again when they changed; problems are returned
  // as lines.
  std::function<std::vector<std::string>(const std::filesystem::path& project_dir, CompressionConfig&)>
      project_config;
  // Shows in the project's file what is in force; `trusted`: what is set there counts. Returns the problem.
  std::function<std::string(const std::filesystem::path& project_dir, bool trusted)> show_in_project_config;
  // Writes changed keys (JSON text) to the project's settings and to `now`; answers what changed or what is
  // wrong.
  std::function<std::string(const std::filesystem::path& project_dir, const std::string& json,
                            CompressionConfig& now)>
      configure;
  // The user's own file: a value as people write it; or JSON text, where null removes it, answered by what is
  // wrong.
  std::function<KeptSetting(std::string_view key, std::string_view value)> keep_setting;
  std::function<std::string(std::string_view key, std::string_view json)> write;
  std::string user_file;                               // its name, as people know it
  std::function<std::string(std::stop_token)> doctor;  // its page
  std::function<std::string(const std::filesystem::path& project_dir)>
      show_config;  // every value in force and its origin
  std::function<std::vector<ListRow>(const std::filesystem::path& project_dir)> settings;  // the same as rows
  bool demo = false;
  std::chrono::milliseconds local_patience{150};  // for each kind of server on this machine
  std::chrono::milliseconds git_patience{
      250};           // for the star at the branch; a slower repository goes without
  std::string trace;  // file that gets each event as a line
  // After each command that Session::run() has carried out, and after each that was answered as it came, also
  // during a turn. On the session's thread.
  std::function<void(const Command&)> on_done, on_live_done;
};

// How a session of this setup reaches a model; `tern doctor` looks the same way. With `why` the words
// themselves are wrong.
std::optional<ModelName> find_model(const SessionSetup& setup, std::string& why);
// What a server of this machine says its window for this model is; 0 when it does not.
Tokens served_window(const SessionSetup& setup, const ModelName& name);
// The model of this name. That of a local server alone ("llamacpp") stands for what it serves.
std::optional<ModelName> model_named(const SessionSetup& setup, const std::string& text, std::string& why);
ProviderConfig wire_of(const SessionSetup& setup,
                       const ProviderKind& kind);  // as environment and configuration say

}  // namespace tern
