// Any bytes as a command line: the parser ends, and what stands behind a line end is never swallowed by a
// line it calls plain.
//
// also built of: agent/gate/shell_unwrap.cpp
#include <cstdint>
#include <cstdlib>
#include <string>

#include "agent/gate/shell_parse.h"

using namespace tern;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string line(reinterpret_cast<const char*>(data), size);
  const ShellScript script = parse_shell(line);
  require(script.commands.size() <= max_segments + 1);
  for (const ShellCommand& command : script.commands) {
    const auto all = unwrap(command);  // a redirection alone is told, too
    require(command.words.empty() ? all.empty() || !command.redirects.empty() : !all.empty());
    for (const ShellRedirect& r : command.redirects) require(!r.op.empty());
  }
  if (!script.plain() || script.commands.size() == max_segments) return 0;
  const ShellScript longer = parse_shell(line + "\nevil");
  if (!longer.plain()) return 0;
  require(longer.commands.size() == script.commands.size() + 1);
  require(longer.commands.back().words.size() == 1 && longer.commands.back().words[0].text == "evil");
  return 0;
}
