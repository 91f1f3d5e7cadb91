// Tools that a search has found, as its result holds them: a line of JSON for each, then words. That result
// is an ordinary item of the conversation. Services with a tool search of their own are sent what it says in
// their form of it, and what a compaction has folded is loaded no longer. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/models/provider.h"

namespace tern {

std::string found_line(std::string_view name, std::string_view description, std::string_view schema);

struct FoundTools {
  std::vector<ToolSpec> tools;
  std::string_view words;  // behind them, for every wire
};
FoundTools found_tools(std::string_view result);

// How a body speaks of tools that were found: with an empty name in words, as any other result.
struct ToolSearch {
  std::string name;             // of the tool that finds
  std::vector<ToolSpec> found;  // by the whole conversation, a name once: the first stays, it may be cached
  std::vector<std::string> declared;  // in the request anyway: a name stands there once

  bool on() const { return !name.empty(); }
  bool is(std::string_view tool) const;
  // The result's own tools that are not declared, when it is one of the search and all are `found` as it says
  // them; else all of it is words.
  FoundTools of(const ToolResult& result) const;
};
// `own`: the service has a search of its own.
ToolSearch tool_search(const Request& request, bool own);

}  // namespace tern
