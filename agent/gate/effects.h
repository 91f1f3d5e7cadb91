// What a command is known to do beyond looking: a table of programs, each row with an example that a test reads. Unknown is not
// harmless; it means that only a sandbox can tell.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

enum class Effects {
  unknown,
  writes,      // files
  repository,  // .git and files of the work tree
  network,     // other machines
  machine,     // what runs on this one: daemons, packages, other rights, other programs' windows
};

struct ProgramRow {
  std::string_view programs;  // names, separated by blanks
  std::string_view verbs;     // any of these words comes first behind the name; empty: whatever comes
  Effects does;
  std::string_view does_what;  // said of the command: "needs the network"
  std::string_view example;    // a command this row is for
};
std::span<const ProgramRow> program_rows();

// The row that speaks for these words, the first in the table; null: none.
const ProgramRow* row_of(const std::vector<std::string>& words);

// "git commit writes .git": the program, its verb where the row has verbs, and what the row says.
std::string said_of(const ProgramRow& row, const std::vector<std::string>& words);

}  // namespace tern
