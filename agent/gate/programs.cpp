#include "agent/gate/programs.h"

#include <unordered_map>

#include "agent/gate/call_words.h"

namespace tern {

namespace {

constexpr std::string_view files = "writes files", net = "needs the network", git_writes = "writes .git",
                           lost = "throws away uncommitted work";

const Program rows[] = {
#include "agent/gate/programs.inc"
};

using ByName = std::unordered_map<std::string_view, const Program*>;

ByName by_name() {
  ByName found;
  for (const Program& row : rows)
    first_of(row.names, [&](std::string_view name) { return !found.emplace(name, &row).second; });
  return found;
}

}  // namespace

std::span<const Program> programs() { return rows; }

const Program* program_of(std::string_view name) {
  static const ByName known = by_name();
  const auto found = known.find(name);
  return found == known.end() ? nullptr : found->second;
}

bool has_role(std::string_view name, unsigned role) {
  const Program* row = program_of(name);
  return row != nullptr && (row->roles & role) != 0;
}

}  // namespace tern
