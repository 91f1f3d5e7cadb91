#include "agent/mcp/server_news.h"

#include <algorithm>

#include "compression/text/lines.h"

namespace tern {

namespace {

constexpr std::size_t kMostNames = 900, kFewestNames = 60, kLongestSentence = 90, kLongestWords = 2'048;

std::string names_of(const McpState& state) {
  std::string names;
  for (const McpToolInfo& tool : state.tools) names += (names.empty() ? "" : " ") + tool.name;
  return names;
}

// How long the names of one server may be so that those of all are not too long together.
std::size_t share(const std::vector<std::string>& names) {
  std::size_t most = kMostNames;
  const auto sum = [&] {
    std::size_t bytes = 0;
    for (const std::string& each : names) bytes += std::min(each.size(), most);
    return bytes;
  };
  while (most > kFewestNames && sum() > kMostNames) most -= 10;
  return most;
}

// The first names that fit, and how many are left out.
std::string fitting(const std::string& names, std::size_t most) {
  if (names.size() <= most) return names;
  const std::size_t end = names.rfind(' ', most);
  if (end == names.npos) return clipped(names, most);
  return names.substr(0, end) + " and " +
         std::to_string(std::count(names.begin() + std::ptrdiff_t(end), names.end(), ' ')) + " more";
}

std::string first_sentence(std::string_view text) {
  text = trimmed(text);
  while (text.starts_with('#')) text = trimmed(text.substr(text.find_first_not_of('#')));
  return clipped(text.substr(0, std::min(text.find(". "), text.find('\n'))), kLongestSentence);
}

}  // namespace

std::string news_of(const std::vector<McpState>& ready) {
  if (ready.empty()) return {};
  std::vector<std::string> names;
  names.reserve(ready.size());
  for (const McpState& state : ready) names.push_back(names_of(state));
  const std::size_t most = share(names);
  std::string text =
      "[MCP servers are ready. McpTools finds their tools. Call one by its name where you can, else with "
      "McpCall.";
  for (std::size_t i = 0; i < ready.size(); ++i) {
    text += "\n" + ready[i].server.name + ": " + (names[i].empty() ? "no tools" : fitting(names[i], most));
    if (!ready[i].info.instructions.empty())
      text += "; it says: \"" + first_sentence(ready[i].info.instructions) + "\"";
  }
  return text + "]";
}

std::string own_words(const McpState& state) {
  if (state.info.instructions.empty()) return {};
  return "The server \"" + state.server.name +
         "\" describes itself: " + clipped(state.info.instructions, kLongestWords) + "\n";
}

}  // namespace tern
