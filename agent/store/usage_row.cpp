#include "agent/store/usage_row.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace tern {
namespace {

std::string source_of(std::string_view purpose) {
  if (purpose == "summary" || purpose == "draft") return "summaries";
  if (purpose == "helper") return "helpers";
  if (purpose == "search") return std::string(hosted_search_tool);
  if (purpose == "aside") return "asides";
  if (purpose == "retry") return "retries";
  return "other";
}

}  // namespace

std::vector<SourceSpend> sources_of(const UsageRow& row) {
  if (!row.sources.empty()) return row.sources;
  return {{source_of(row.purpose), row.input + row.cache_read + row.cache_write + row.output, row.dollars}};
}

void add_source(std::vector<SourceSpend>& all, const SourceSpend& more) {
  const auto known =
      std::find_if(all.begin(), all.end(), [&](const SourceSpend& one) { return one.source == more.source; });
  if (known == all.end()) return all.push_back(more);
  known->tokens += more.tokens;
  known->dollars += more.dollars;
}

std::string save_sources(const std::vector<SourceSpend>& sources) {
  std::string text;
  for (const auto& one : sources) {
    char figures[64];
    std::snprintf(figures, sizeof figures, "%lld %.17g ", static_cast<long long>(one.tokens), one.dollars);
    text += figures + one.source + '\n';
  }
  return text;
}

std::vector<SourceSpend> load_sources(std::string_view text) {
  std::vector<SourceSpend> sources;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    SourceSpend one;
    if (words >> one.tokens >> one.dollars >> std::ws && std::getline(words, one.source))
      sources.push_back(std::move(one));
  }
  return sources;
}

}  // namespace tern
