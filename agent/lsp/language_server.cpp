#include "agent/lsp/language_server.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "agent/mcp/rpc.h"
#include "tools/set/args.h"

namespace tern {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::vector<LanguageServer>& table() {
  static const std::vector<LanguageServer> rows = {
      {.name = "clangd",
       .command = {"clangd", "--background-index=false", "--log=error"},
       .extensions = {{".c", "c"},
                      {".h", "cpp"},
                      {".cc", "cpp"},
                      {".cpp", "cpp"},
                      {".cxx", "cpp"},
                      {".hh", "cpp"},
                      {".hpp", "cpp"},
                      {".hxx", "cpp"},
                      {".m", "objective-c"},
                      {".mm", "objective-cpp"}},
       .marks = {"compile_commands.json", "build/compile_commands.json", "compile_flags.txt", ".clangd"},
       .env = {}},
      {.name = "pyright",
       .command = {"pyright-langserver", "--stdio"},
       .extensions = {{".py", "python"}, {".pyi", "python"}},
       .marks = {"pyrightconfig.json", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"},
       .env = {}},
      {.name = "typescript",
       .command = {"typescript-language-server", "--stdio"},
       .extensions = {{".ts", "typescript"},
                      {".mts", "typescript"},
                      {".cts", "typescript"},
                      {".tsx", "typescriptreact"},
                      {".js", "javascript"},
                      {".mjs", "javascript"},
                      {".cjs", "javascript"},
                      {".jsx", "javascriptreact"}},
       .marks = {"tsconfig.json", "jsconfig.json", "package.json"},
       .env = {},
       .compiler_serves = true},
      {.name = "gopls",
       .command = {"gopls"},
       .extensions = {{".go", "go"}},
       .marks = {"go.mod", "go.work"},
       .env = {}},
      {.name = "rust-analyzer",
       .command = {"rust-analyzer"},
       .extensions = {{".rs", "rust"}},
       .marks = {"Cargo.toml"},
       .env = {"CARGO_TARGET_DIR=@temp/cargo-target"}},
  };
  return rows;
}

std::vector<std::string> texts_of(const json& list) {
  std::vector<std::string> texts;
  if (list.is_string()) texts.push_back(list.get<std::string>());
  if (list.is_array())
    for (const json& one : list)
      if (one.is_string()) texts.push_back(one.get<std::string>());
  return texts;
}

// Empty, or what is wrong with it.
std::string read_entry(const json& entry, LanguageServer& server) {
  if (!entry.is_object()) return "must be an object {command, extensions}, or false";
  if (entry.contains("command")) {
    server.command = texts_of(entry["command"]);
    server.compiler_serves = false;
  }
  for (const std::string& word : texts_of(array_in(entry, "args"))) server.command.push_back(word);
  if (server.command.empty()) return "needs a \"command\"";
  const json& extensions = object_in(entry, "extensions");
  for (const auto& [end, language] : extensions.items())
    if (language.is_string()) server.extensions[end] = language.get<std::string>();
  if (server.extensions.empty()) return "needs \"extensions\", such as {\".zig\": \"zig\"}";
  for (const auto& [name, value] : object_in(entry, "env").items())
    if (value.is_string()) server.env.push_back(name + "=" + value.get<std::string>());
  for (const std::string& mark : texts_of(array_in(entry, "marks"))) server.marks.push_back(mark);
  return {};
}

bool can_run(const fs::path& program) { return ::access(program.c_str(), X_OK) == 0; }

fs::path found_in(std::string_view search_path, const fs::path& program) {
  if (program.is_absolute()) return can_run(program) ? program : fs::path();
  while (!search_path.empty()) {
    const std::size_t end = search_path.find(':');
    const fs::path folder(search_path.substr(0, end));
    if (folder.is_absolute() && can_run(folder / program)) return folder / program;
    search_path.remove_prefix(end == search_path.npos ? search_path.size() : end + 1);
  }
  return {};
}

// The first number of the version of a TypeScript that is unpacked in `package`; 0: there is none.
int typescript_version(const fs::path& package) {
  std::ifstream in(package / "package.json");
  const json head = json::parse(in, nullptr, false);
  return member_text(head, "name") == "typescript" ? std::atoi(member_text(head, "version").c_str()) : 0;
}

// From version 7 on the compiler is a language server, and typescript-language-server cannot use it. The
// project's own version decides, else the one that is installed; empty: typescript-language-server is right.
fs::path typescript_compiler(const fs::path& root, std::string_view search_path) {
  constexpr int first = 7;
  const fs::path own = root / "node_modules/typescript";
  if (const int version = typescript_version(own); version > 0)
    return version >= first && can_run(own / "bin/tsc") ? own / "bin/tsc" : fs::path();
  const fs::path installed = found_in(search_path, "tsc");
  std::error_code error;
  const fs::path real = installed.empty() ? fs::path() : fs::canonical(installed, error);
  return typescript_version(real.parent_path().parent_path()) >= first ? installed : fs::path();
}

}  // namespace

std::vector<LanguageServer> language_servers(const std::string& text, std::vector<std::string>& problems) {
  std::vector<LanguageServer> all = table();
  const json own = json::parse(text.empty() ? "{}" : text, nullptr, false);
  if (!own.is_object()) return all;
  for (const auto& [name, entry] : own.items()) {
    const auto row = std::find_if(all.begin(), all.end(),
                                  [&n = name](const LanguageServer& one) { return one.name == n; });
    LanguageServer server = row == all.end() ? LanguageServer{} : *row;
    server.name = name;
    const bool left_out = entry.is_boolean() && !entry.get<bool>();
    const std::string wrong = left_out ? "" : read_entry(entry, server);
    if (!wrong.empty()) problems.push_back("languageServers." + name + " " + wrong);
    if (row != all.end() && wrong.empty()) all.erase(row);
    if (!left_out && wrong.empty()) all.insert(all.begin(), std::move(server));  // the user's own goes first
  }
  return all;
}

const LanguageServer* server_for(const std::vector<LanguageServer>& servers, const fs::path& file) {
  const std::string end = file.extension().string();
  for (const LanguageServer& one : servers)
    if (one.extensions.contains(end)) return &one;
  return nullptr;
}

std::vector<std::string> launch_of(const LanguageServer& server, const fs::path& root,
                                   std::string_view search_path) {
  fs::path program = server.compiler_serves ? typescript_compiler(root, search_path) : fs::path();
  if (!program.empty()) return {program.string(), "--lsp", "--stdio"};
  program = found_in(search_path, server.command.front());
  if (program.empty()) return {};
  auto words = server.command;
  words.front() = program.string();
  return words;
}

std::vector<LanguageServer> servers_at(const std::vector<LanguageServer>& servers, const fs::path& root,
                                       std::string_view search_path) {
  std::vector<LanguageServer> here;
  for (const LanguageServer& one : servers) {
    const bool marked = std::any_of(one.marks.begin(), one.marks.end(), [&](const std::string& mark) {
      std::error_code error;
      return fs::exists(root / mark, error);
    });
    if (marked && !launch_of(one, root, search_path).empty()) here.push_back(one);
  }
  return here;
}

}  // namespace tern
