#include "agent/turn/spending.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "agent/protocol/shell_note.h"
#include "agent/store/usage_row.h"
#include "compression/text/figures.h"
#include "compression/values/tokens.h"

namespace tern {
namespace {

constexpr std::string_view server_prefix = "mcp__";

struct Segment {
  std::string source;
  Tokens tokens = 0;  // as estimated
};

Tokens of_spec(const ToolSpec& tool) {
  return estimate(tool.name) + estimate(tool.description) + estimate(tool.schema);
}

std::string source_of(const Item& item, const Block& block) {
  if (item.role == Role::system) return "system";
  if (std::holds_alternative<Summary>(block)) return "summaries";
  if (const auto* result = std::get_if<ToolResult>(&block)) return source_of_tool(result->tool);
  if (item.role == Role::assistant) return "answers";
  if (std::holds_alternative<Image>(block) || std::holds_alternative<Document>(block)) return "attachments";
  if (read_shell_note(item)) return "commands";
  return item.synthetic ? "instructions" : "prompts";
}

std::vector<Segment> segments_of(const Request& request, const PromptParts& prompt) {
  std::vector<Segment> all;
  for (const auto& tool : request.tools)
    all.push_back(
        {tool.name.starts_with(server_prefix) ? source_of_tool(tool.name) : "tools", of_spec(tool)});
  const auto system = estimate(request.system);
  const auto memory = std::min(prompt.memory, system);
  all.push_back({"system", system - memory});
  all.push_back({"memory", memory});
  for (const auto& item : request.conversation.items) {
    for (const auto& block : item->blocks) all.push_back({source_of(*item, block), estimate(block)});
  }
  return all;
}

// How much of [from, to) lies in [begin, end).
double common(Tokens from, Tokens to, Tokens begin, Tokens end) {
  return static_cast<double>(std::max<Tokens>(0, std::min(to, end) - std::max(from, begin)));
}

std::string plain(double amount) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", amount);
  return text;
}

std::string stopped(const std::string& what, double spent, double limit) {
  return "Stopped before the next request: " + what + " has cost " + money(spent) + ", the limit is " +
         money(limit) + ". ";
}

// As much again beyond what has been spent, in two figures.
double more_than(double spent, double limit) {
  const double wanted = std::max(2 * limit, spent + limit);
  const double step = std::pow(10, std::floor(std::log10(wanted)) - 1);
  return std::ceil(wanted / step - 1e-6) * step;
}

std::string raise_it(const std::string& name, double spent, double limit) {
  const auto more = plain(more_than(spent, limit));
  return "/cost limit " + name + ' ' + more + " for this session, or \"maxCost\": {\"" + name +
         "\": " + more + "} in your configuration.";
}

}  // namespace

std::string source_of_tool(std::string_view tool) {
  if (!tool.starts_with(server_prefix)) return std::string(tool);
  return std::string(tool.substr(0, tool.find("__", server_prefix.size())));
}

std::vector<SourceSpend> divided(const Request& request, const PromptParts& prompt, const TokenUsage& usage,
                                 const ModelInfo& model) {
  const auto segments = segments_of(request, prompt);
  Tokens estimated = 0;
  for (const auto& segment : segments) estimated += segment.tokens;
  const auto total = usage.total_input(), cached = usage.cache_read, written = cached + usage.cache_write;
  const double hours = usage.cache_write > 0
                           ? static_cast<double>(usage.long_write) / static_cast<double>(usage.cache_write)
                           : 0;
  const double write_rate = (1 - hours) * model.cache_write + hours * model.long_write();
  std::vector<SourceSpend> sources;
  Tokens seen = 0, from = 0;
  for (const auto& segment : segments) {
    seen += segment.tokens;
    const double share = estimated > 0 ? static_cast<double>(seen) / static_cast<double>(estimated) : 1.0;
    const auto to =
        seen == estimated ? total : static_cast<Tokens>(std::llround(share * static_cast<double>(total)));
    if (to == from) continue;
    const double dollars = common(from, to, 0, cached) * model.cache_read +
                           common(from, to, cached, written) * write_rate +
                           common(from, to, written, total) * model.input;
    add_source(sources, {segment.source, to - from, dollars / 1e6});
    from = to;
  }
  if (usage.output > 0)
    add_source(sources, {"output", usage.output, static_cast<double>(usage.output) * model.output / 1e6});
  return sources;
}

void Spending::open(double session) { run_from_ = turn_from_ = session_ = session; }

void Spending::count(double session) {
  const double more = std::max(0.0, session - session_);
  session_ = session;
  if (count_today) today_ = count_today(more);
}

std::string Spending::reached(const SpendLimits& limits) const {
  if (limits.run > 0 && run() >= limits.run)
    return "Stopped at " + money(run()) + " (--max-cost " + money(limits.run) + ").";
  if (limits.day > 0 && today_ >= limits.day)
    return stopped("today", today_, limits.day) +
           "To go on, raise it: " + raise_it("day", today_, limits.day);
  if (limits.session > 0 && session_ >= limits.session)
    return stopped("this session", session_, limits.session) +
           "To go on, raise it: " + raise_it("session", session_, limits.session);
  if (limits.turn > 0 && turn() >= limits.turn)
    return stopped("this turn", turn(), limits.turn) +
           "Say \"go on\" for another turn, or raise it: " + raise_it("turn", turn(), limits.turn);
  return {};
}

std::optional<double> Spending::left(const SpendLimits& limits) const {
  std::optional<double> least;
  const auto take = [&](double limit, double spent) {
    if (limit > 0) least = std::min(least.value_or(limit - spent), limit - spent);
  };
  take(limits.run, run());
  take(limits.turn, turn());
  take(limits.session, session_);
  take(limits.day, today_);
  return least;
}

double spent_on_tool(const std::vector<SourceSpend>& sources, std::string_view tool) {
  double dollars = 0;
  const auto name = source_of_tool(tool);
  for (const auto& one : sources)
    if (one.source == name || (name == helper_tool && one.source == "helpers")) dollars += one.dollars;
  return dollars;
}

std::optional<double> left_for(const SpendLimits& limits, const std::vector<SourceSpend>& sources,
                               std::string_view tool) {
  const auto limit = limits.sources.find(source_of_tool(tool));
  if (limit == limits.sources.end()) return std::nullopt;
  return limit->second - spent_on_tool(sources, tool);
}

std::string over_its_limit(const SpendLimits& limits, const std::vector<SourceSpend>& sources,
                           std::string_view tool) {
  const auto left = left_for(limits, sources, tool);
  if (!left || *left > 0) return {};
  const auto name = source_of_tool(tool);
  const double limit = limits.sources.at(name);
  return name + " has cost " + money(limit - *left) + " in this session; its limit is " + money(limit);
}

}  // namespace tern
