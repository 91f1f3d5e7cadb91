// What the model is told before anything else: who it is, where it is, and what the folder's memory files
// say. Reads files, runs nothing: no git process, so no hook or configured program of the project can start
// here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/protocol/event.h"
#include "compression/values/conversation.h"

namespace tern {

struct MemoryFile {
  std::filesystem::path path;
  std::string text;  // as it goes into the prompt
  Tokens tokens = 0;
  bool cut = false;  // the 32 KB cap was reached
};
// AGENTS.md, else CLAUDE.md, of each folder from the repository's root (without one: below home) down to
// `cwd`, after the person's own one; beside it CLAUDE.local.md, and before each file those it imports
// (memory_import.h) from its own repository, without one from its own folder. Above `cwd` only files of this
// user or of root count, and the links to them likewise. The nearest comes last and wins; together at most 32
// KB, the farthest give way first.
std::vector<MemoryFile> memory_files(const std::filesystem::path& cwd,
                                     const std::filesystem::path& user_file);

// The same for one folder below them, when a tool first meets it: its file, its CLAUDE.local.md, and what
// they import from `within`.
std::vector<MemoryFile> folder_memory(const std::filesystem::path& folder,
                                      const std::filesystem::path& within);
std::string memory_mark(const std::filesystem::path& file);  // how memory_text() begins for a file
std::string memory_text(const MemoryFile& file);

// The text of the "Compact instructions" section of the nearest file that has one.
std::string compact_instructions(const std::vector<MemoryFile>& files);

struct Surroundings {
  std::string cwd, os, date,
      branch;  // branch: "main", "main (merging)", "detached at 1a2b3c4", empty without git
};
Surroundings look_around(const std::filesystem::path& cwd, TimePoint now);
std::filesystem::path repository_root(const std::filesystem::path& cwd);  // empty without one

struct PromptParts {
  std::string text;               // the whole system prompt
  Tokens system = 0, memory = 0;  // estimated
};
PromptParts system_prompt(const Surroundings& where, const std::vector<MemoryFile>& memory,
                          PermissionMode mode, const std::string& extra = {});

}  // namespace tern
