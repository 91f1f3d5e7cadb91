// /cost: what the session has cost, by what it was spent on, and the limits on it.
#include <algorithm>

#include "app/session/session_answers.h"
#include "app/session/session_parts.h"
#include "compression/text/figures.h"
#include "compression/values/tool_kinds.h"

namespace tern {
namespace {

struct SourceName {
  std::string_view source, name;
};
constexpr SourceName source_names[] = {{"system", "system prompt"},
                                       {"memory", "memory files"},
                                       {"tools", "tool descriptions"},
                                       {"prompts", "your prompts"},
                                       {"attachments", "images and documents"},
                                       {"commands", "your ! commands"},
                                       {"instructions", "skills and notices"},
                                       {"answers", "earlier answers"},
                                       {"output", "output"},
                                       {"summaries", "summaries"},
                                       {"helpers", "helpers"},
                                       {"asides", "/btw"},
                                       {"retries", "retries"},
                                       {"other", "other"}};
constexpr std::string_view server_prefix = "mcp__";

std::string name_of(const std::string& source) {
  for (const auto& row : source_names)
    if (row.source == source) return std::string(row.name);
  if (source.starts_with(server_prefix)) return "MCP server " + source.substr(server_prefix.size());
  return (reads_files(source) ? "files: " : "results: ") + source;
}

std::string row_text(const std::string& name, Tokens tokens, double dollars) {
  constexpr std::size_t name_width = 28, figure_width = 12;
  const auto figure = std::to_string(tokens);
  std::string text = name;
  text.resize(std::max(text.size() + 1, name_width), ' ');
  text += std::string(figure_width - std::min(figure.size(), figure_width), ' ') + figure;
  return text + "  " + money(dollars) + '\n';
}

std::string limit_text(std::string_view name, double limit, double spent) {
  return limit > 0 ? std::string(name) + ": " + money(spent) + " of " + money(limit) + '\n' : std::string();
}

std::string sources_text(std::vector<SourceSpend> sources, const UsageTotal& total) {
  const auto tokens = total.input + total.cache_read + total.cache_write + total.output;
  SourceSpend rest{"not itemized by an older version", tokens, total.dollars};
  for (const auto& one : sources) {
    rest.tokens -= one.tokens;
    rest.dollars -= one.dollars;
  }
  std::stable_sort(sources.begin(), sources.end(), [](const SourceSpend& a, const SourceSpend& b) {
    return a.dollars != b.dollars ? a.dollars > b.dollars : a.tokens > b.tokens;
  });
  std::string text = "spent on                          tokens  dollars\n";
  for (const auto& one : sources) text += row_text(name_of(one.source), one.tokens, one.dollars);
  if (rest.tokens > 0) text += row_text(rest.source, rest.tokens, std::max(0.0, rest.dollars));
  return text + row_text("together", tokens, total.dollars);
}

std::string limits_text(const Agent& agent, const std::vector<SourceSpend>& sources) {
  const auto& limits = agent.limits.cost;
  const auto& spending = agent.spending;
  std::string text = limit_text("run", limits.run, spending.run()) +
                     limit_text("turn", limits.turn, spending.turn()) +
                     limit_text("session", limits.session, spending.session()) +
                     limit_text("day, all sessions", limits.day, spending.today());
  for (const auto& [source, limit] : limits.sources)
    text += limit_text(source, limit, spent_on_tool(sources, source));
  return text.empty() ? "no limits: /cost limit turn|session|day|TOOL|mcp__SERVER DOLLARS sets one\n"
                      : "limits\n" + text;
}

}  // namespace

void SessionQueries::tell(const AskCost&) {
  s.agent_->spending.count(s.context_.gauges.dollars());
  const auto total = s.store_->usage_total();
  const auto sources = s.store_->spent_on();
  const auto input = total.input + total.cache_read + total.cache_write;
  std::string text = counted(static_cast<std::int64_t>(total.requests), "request") + " · " +
                     std::to_string(input) + " tokens in";
  if (total.cache_read > 0)
    text += " (" + std::to_string(100 * total.cache_read / std::max<Tokens>(input, 1)) + "% from the cache)";
  text += ", " + std::to_string(total.output) + " out · " + money(total.dollars);
  if (!s.context_.gauges.dollars_known()) text += ", plus models without a price";
  const auto& model = s.context_.model;
  if (costs_nothing(model))
    text += "\n" + model.provider + "/" + model.name + " has no price: its tokens count as $0.";
  s.emit(Page{"Cost", text + "\n\n" + sources_text(sources, total) + '\n' + limits_text(*s.agent_, sources)});
}

void SessionQueries::tell(const LimitCost& limit) {
  auto& limits = s.agent_->limits.cost;
  const auto& [name, dollars] = limit;
  if (name.empty()) {
    limits = {};
    return s.emit(Notice{Level::info, "No limit on dollars in this session."});
  }
  const bool built_in = name == "turn" || name == "session" || name == "day";
  if (!built_in && !name.starts_with(server_prefix) && !s.tools_.find(name))
    return s.emit(Notice{Level::warning, "There is no tool " + name + "; a server is named mcp__SERVER."});
  set_limit(limits, name, dollars);
  s.agent_->costly_shown.erase(name);
  const auto what = built_in ? "The " + name : name;
  s.emit(Notice{Level::info,
                what + (dollars > 0 ? " may cost " + money(dollars) : std::string(" has no limit")) +
                    "; \"maxCost\" in your configuration keeps it."});
}

}  // namespace tern
