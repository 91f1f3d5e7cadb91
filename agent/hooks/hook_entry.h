// A hook as a file describes it, in Claude Code's shape: `{"Event": [{"matcher": "Write|Edit", "hooks":
// [{"type": "command", …}]}]}`. Reading is pure but for the scripts of a project, which belong to what is
// approved. What is wrong leaves the rest alone.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/hooks/hooks.h"

namespace tern {

enum class HookOrigin {
  user,      // tern's own configuration
  plugin,    // a folder the user named on the command line
  imported,  // the user's settings for another agent: each is approved once
  project    // a trusted folder: each is approved once
};

struct HookEntry {
  enum class Kind { command, http } kind = Kind::command;
  HookEvent event = HookEvent::notification;
  std::string matcher;
  std::string command;            // for a shell; with `exec` the program itself
  std::vector<std::string> args;  // of the exec form
  bool exec = false;
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::string> allowed_env;  // names that headers may use
  std::string only_if;                   // a permission rule: "Bash(git *)"
  std::string status;                    // what people read while it runs
  std::chrono::milliseconds timeout{0};
  bool once = false, async = false, blocks_on_failure = false;
  bool wakes = false;       // run aside, exit 2 tells the model its reason
  bool own_rights = false;  // the user's own file says "sandbox": false

  HookOrigin origin = HookOrigin::user;
  std::string source;                 // the file, as people know it
  std::filesystem::path plugin_root;  // of a plugin
  std::string text;                   // event, matcher and handler, as they were written
  std::string hash;                   // of `text` and the scripts it names; see hash_of()

  std::string title() const;  // "guard.sh": what people call it
};

struct HookEntries {
  std::vector<HookEntry> entries;
  std::vector<std::string> problems;  // what was left out because it is wrong
  std::vector<std::string> skipped;   // what was left out because tern has no such thing
};

struct HookFile {
  std::string source;
  HookOrigin origin = HookOrigin::user;
  std::filesystem::path root;  // the project
  std::filesystem::path plugin_root = {};
};

// `text` is a JSON object of events, or one that holds it under "hooks". An empty text has no hooks.
HookEntries read_hooks(std::string_view text, const HookFile& file);
void append(HookEntries& all, HookEntries more);

// Of the entry and of the files inside `root` that its command names: a changed script is asked for again,
// too.
std::string hash_of(const HookEntry& entry, const std::filesystem::path& root);

// Empty and "*" match all; names separated by '|' or ',' match exactly; anything else is a regular expression
// found anywhere.
bool matches(std::string_view matcher, std::string_view subject);

// ${CLAUDE_PROJECT_DIR} and ${CLAUDE_PLUGIN_ROOT} replaced, for words that no shell expands.
std::string with_folders(std::string text, const std::filesystem::path& root,
                         const std::filesystem::path& plugin_root);

}  // namespace tern
