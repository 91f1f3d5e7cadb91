// Which program knows which language. A row each; the user's configuration adds more or replaces one by its
// name.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

struct LanguageServer {
  std::string name;                               // "clangd"
  std::vector<std::string> command;               // program and arguments
  std::map<std::string, std::string> extensions;  // ".cpp" → "cpp", the name of the language in the protocol
  std::vector<std::string> marks;                 // names at the root of a project in this language
  std::vector<std::string> env;                   // NAME=value, added; "@temp" stands for the private folder
  bool compiler_serves = false;                   // TypeScript 7: its compiler is used where it is installed
  bool operator==(const LanguageServer&) const = default;
};

// Those of the table, then the user's own: `json` is an object name → {command, extensions, env}, or a name →
// false to leave one out. What is wrong in it is added to `problems`.
std::vector<LanguageServer> language_servers(const std::string& json, std::vector<std::string>& problems);

// The row for a file, by the end of its name; null for none.
const LanguageServer* server_for(const std::vector<LanguageServer>& servers,
                                 const std::filesystem::path& file);

// Its whole path and arguments as it is started for the project at `root`; empty when it is not installed in
// `search_path` (as $PATH). Nothing is started.
std::vector<std::string> launch_of(const LanguageServer& server, const std::filesystem::path& root,
                                   std::string_view search_path);

// Those that are installed and whose language the project at `root` is in, as far as its top level tells.
std::vector<LanguageServer> servers_at(const std::vector<LanguageServer>& servers,
                                       const std::filesystem::path& root, std::string_view search_path);

}  // namespace tern
