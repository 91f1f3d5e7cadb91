#include "agent/gate/programs.h"

#include <algorithm>
#include <unordered_map>

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
    for (std::string_view names = row.names; !names.empty();) {
      const std::size_t end = std::min(names.find(' '), names.size());
      found.emplace(names.substr(0, end), &row);
      names.remove_prefix(std::min(end + 1, names.size()));
    }
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
