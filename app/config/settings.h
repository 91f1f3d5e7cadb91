// Every setting with its default.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/models/cost.h"
#include "agent/protocol/event.h"
#include "compression/values/budget.h"

namespace tern {

struct ProviderSettings {
  std::string base_url, key;  // key: from the person's file only; never shown
  std::vector<std::pair<std::string, std::string>> headers;
  std::optional<bool> tool_search;
};

struct StatusLineSetting {  // "statusLine"
  std::string command;      // empty: none
  int refresh_s = 0;        // run again after as many seconds without news; 0: never
};

struct Config {
  std::string model, theme = "auto", editor, append_prompt;
  PermissionMode mode = PermissionMode::ask;
  long long window = 0;
  int thinking = 0, max_turns = 0, helper_tokens = 60'000;
  SpendLimits max_cost;
  bool inline_screen = false, plain = false, sandbox_network = false, vim = false, bell = true;
  bool title = true;
  std::string links = "auto", progress = "auto", notify = "auto";  // "terminal.*"
  StatusLineSetting status_line;
  std::vector<std::string> allow, ask, deny;  // permission rules as text: "Bash(git status)"
  std::vector<std::string> allowed_env, disabled_tools, extra_tools;
  std::vector<std::filesystem::path> trusted, add_dirs;
  std::map<std::string, ProviderSettings> providers;
  std::map<std::string, std::string> models;   // "provider/name" → its description as JSON text
  std::map<std::string, std::string> aliases;  // "fast" → "provider/name"
  std::map<std::string, std::string> keys;     // "transcript" → "f5"
  std::string mcp_servers;                     // JSON text: name → entry, read by read_mcp_servers()
  std::string hooks;                           // JSON text: event → handlers, read by read_hooks()
  std::string language_servers;  // JSON text: name → entry, or true or false; read by language_servers()
  CompressionConfig compression;

  std::map<std::string, std::string>
      origins;  // key → "default", "/home/me/.config/tern/config.json", "$TERN_MODEL" …
  std::vector<std::string> problems;  // ready to read, one line each
};

}  // namespace tern
