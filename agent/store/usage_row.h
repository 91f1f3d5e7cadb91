// What requests cost, as the store keeps it: a row for each, and the session's sums by what the tokens were
// spent on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compression/values/conversation.h"

namespace tern {

// The tools whose requests are purposes of their own; limits name them.
inline constexpr std::string_view helper_tool = "Task", hosted_search_tool = "WebSearch";

// Tokens and dollars of one source: "system", "tools", "Bash" (its results), "mcp__github" (its tools and
// results), "output", "summaries", "helpers" …
struct SourceSpend {
  std::string source;
  Tokens tokens = 0;
  double dollars = 0;
};

struct UsageRow {
  std::uint64_t turn = 0;
  std::string provider, model, purpose;  // purpose: "turn", "summary", "draft", "helper", "aside", "retry"
  Tokens input = 0, output = 0, cache_read = 0, cache_write = 0;
  double dollars = 0;
  std::int64_t milliseconds = 0;
  std::string request_id;
  TimePoint when{};
  std::vector<SourceSpend> sources = {};  // they sum to the row; empty: all of it belongs to the purpose
};
struct UsageTotal {
  std::uint64_t requests = 0;
  Tokens input = 0, output = 0, cache_read = 0, cache_write = 0;
  double dollars = 0;
};
struct ModelUsage {
  std::string provider, model;
  UsageTotal total;
};

// The row's sources, or the one that its purpose is.
std::vector<SourceSpend> sources_of(const UsageRow& row);
void add_source(std::vector<SourceSpend>& all, const SourceSpend& more);
std::string save_sources(const std::vector<SourceSpend>& sources);  // a line each
std::vector<SourceSpend> load_sources(std::string_view text);       // lines that are none are left out

}  // namespace tern
