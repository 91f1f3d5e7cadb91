// What the flags, the environment and the configuration say of a session, as one value: start.cpp fills it, session.h lives by it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/agent.h"
#include "agent/models.h"
#include "agent/permission.h"
#include "agent/providers.h"
#include "compression/budget.h"

namespace tern {

// What is decided before a session exists: by flags, environment and configuration.
struct SessionSetup {
  std::filesystem::path cwd, home, state_dir, user_memory;
  std::vector<std::filesystem::path> extra_dirs, trusted;
  bool keep = true;        // false: --no-session, nothing on disk
  bool read_only = false;  // only looked at: beside a tern that has the session open, and nothing is written
  bool live = true;        // commands may come while a turn runs
  bool may_ask = true;     // somebody can be asked
  bool asks_trust = true;  // … also whether the folder is trusted; else it stays unread
  enum class Open { fresh, newest, resume } open = Open::fresh;
  std::string open_what, name;
  bool fork = false;
  std::string model;  // "provider/name" or an alias; empty = found
  Tokens window = 0;
  std::string record, replay;  // files
  std::string append_prompt;
  TurnLimits limits;
  PermissionMode mode = PermissionMode::ask;
  bool bypass_by_flag = false;
  std::vector<PermissionRule> rules;
  std::vector<std::string> without_tools, more_tools, allowed_env;
  bool sandbox_network = false;
  CompressionConfig compression;
  Models models;
  Environment env;
  std::function<void(const ProviderKind&, ProviderConfig&)> adjust_provider;  // base URLs and keys of the user's file
  // The project's own settings once its folder is trusted, and again when they changed; problems are returned as lines.
  std::function<std::vector<std::string>(const std::filesystem::path& project_dir, CompressionConfig&)> project_config;
  // Writes changed keys (JSON text) to the project's settings and to `now`; answers what changed or what is wrong.
  std::function<std::string(const std::filesystem::path& project_dir, const std::string& json, CompressionConfig& now)> configure;
  std::function<std::string(std::string_view page, std::stop_token)> page;           // "doctor": pages the app knows
  std::function<std::string(const std::filesystem::path& project_dir)> show_config;  // every value in force and its origin
  bool demo = false;
  std::chrono::milliseconds git_patience{250};  // for the star at the branch; a slower repository goes without
  std::string trace;                            // file that gets each event as a line
};

// How a session of this setup reaches a model; `tern doctor` looks the same way. With `why` the words themselves are wrong.
std::optional<ModelName> find_model(const SessionSetup& setup, std::string& why);
ProviderConfig wire_of(const SessionSetup& setup, const ProviderKind& kind);  // as environment and configuration say

}  // namespace tern
