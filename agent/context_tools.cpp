#include "agent/context_tools.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "agent/compaction_text.h"
#include "agent/local_time.h"
#include "tools/journal.h"

namespace tern {
namespace {

using nlohmann::json;

constexpr std::size_t most_recalled = 60'000;

std::string percent(double share) { return std::to_string(static_cast<int>(share * 100 + 0.5)) + " %"; }

std::string hits(const Store& store, const RecallQuery& query) {
  const auto id = parse_recall_id(query.id);
  if (!query.id.empty() && (!id || !store.original(id))) return "There is no " + query.id + '.';
  auto found = store.search_originals(query.search, id, query.lines ? 100'000 : 50);
  if (query.lines)
    std::erase_if(found,
                  [&](const auto& hit) { return hit.line_number < query.lines->first || hit.line_number > query.lines->second; });
  if (found.size() > 50) found.resize(50);
  if (found.empty() && id) return query.id + " does not hold \"" + query.search + "\"" + (query.lines ? " in these lines." : ".");
  if (found.empty()) return "Nothing stored holds \"" + query.search + "\".";
  std::string text;
  for (const auto& hit : found) {
    const auto& name = hit.subject.empty() ? hit.tool : hit.subject;
    text += to_string(hit.id) + ':' + std::to_string(hit.line_number) + "  " + (name.empty() ? "message" : name) + "  " +
            hit.line + '\n';
  }
  return text;
}

std::string capped(std::string text, const std::string& id) {
  if (text.size() <= most_recalled) return text;
  auto cut = text.rfind('\n', most_recalled);
  if (cut == std::string::npos) cut = most_recalled;
  const auto shown = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(cut), '\n') + 1;
  text.resize(cut);
  return text + "\n[" + id + " goes on: ask for lines from " + std::to_string(shown + 1) + " on, or search in it]";
}

std::string no_such_lines(const Store& store, const RecallQuery& query) {
  const std::string text = store.text(parse_recall_id(query.id)).value_or("");
  const auto count = std::count(text.begin(), text.end(), '\n') + (!text.empty() && text.back() != '\n');
  return query.id + " has " + counted(count, "line") + "; none of them is asked for.";
}

std::string compress_now(Agent& agent, const json& arguments, std::stop_token stop) {
  auto& conversation = agent.context.conversation;
  const auto messages = conversation.items.size();
  const auto before = usage(conversation, budget_of(agent.context)).used;
  // The message whose calls are being answered stays out of it: it is not whole yet.
  ItemPtr open;
  if (messages && conversation.items.back()->role == Role::assistant) {
    open = conversation.items.back();
    conversation.items.pop_back();
  }
  Compact command;
  command.focus = arguments.value("focus", "");
  command.strategy = arguments.value("strategy", "");
  agent.compactor.compact(agent.context, command, stop);
  if (open) agent.context.conversation.items.push_back(open);
  const auto now = agent.context.conversation.items.size();
  const auto after = usage(agent.context.conversation, budget_of(agent.context)).used;
  if (after >= before) return "Nothing was compacted: what is left is protected, pinned or too small to pay.";
  return "Compacted: " + std::to_string(messages) + " → " + counted(static_cast<std::int64_t>(now), "message") + " (" +
         std::to_string(messages - std::min(now, messages)) + " fewer), " + thousands(before) + " → " + thousands(after) +
         " tokens.";
}

}  // namespace

std::string answer_recall(const Store& store, const RecallQuery& query) {
  if (!query.search.empty()) return hits(store, query);
  const auto id = parse_recall_id(query.id);
  if (!id) return "Say which: an id such as \"r17\" (it stands where text was shortened), or a search.";
  if (query.lines) {
    auto lines = store.lines(id, query.lines->first, query.lines->second);
    if (!lines) return "There is no " + query.id + '.';
    return lines->empty() ? no_such_lines(store, query) : capped(std::move(*lines), query.id);
  }
  auto text = store.text(id);
  return text ? capped(std::move(*text), query.id) : "There is no " + query.id + '.';
}

std::string context_status_text(const Agent& agent) {
  const auto& context = agent.context;
  const auto& config = context.config;
  const auto meters = read_meters(context);
  const auto compactions = agent.store.compactions();
  std::size_t touched = 0;
  for (const auto& row : compactions) touched += row.undone ? 0 : row.items;
  std::string text = "## Context\n";
  text += std::string(meters.estimated ? "~" : "") + thousands(meters.used) + " of " + thousands(meters.effective) + " tokens (" +
          percent(static_cast<double>(meters.used) / static_cast<double>(std::max<Tokens>(meters.effective, 1))) + ") of " +
          meters.model + "\n";
  for (const auto& part : meters.parts) text += "- " + part.name + ": " + thousands(part.tokens) + '\n';
  text += "\n**Configuration**\n- sliding window: " + (config.sliding_window ? counted(config.max_turns, "round") : "off") +
          "\n- keep recent: " + counted(config.keep_recent, "round") +
          "\n- tool output limit: " + std::to_string(config.snip_halves ? config.max_tool_output : config.snip_limit) +
          " characters\n- auto-compress: " + (config.auto_compress ? "on" : "off") + "\n- tiers: " + percent(config.micro_at) +
          " · " + percent(config.compact_at) + " · " + percent(config.truncate_at) + "\n";
  text += "\n**Statistics**\n- messages: " + std::to_string(context.conversation.items.size()) +
          "\n- compactions: " + std::to_string(compactions.size()) +
          "\n- compacted: " + counted(static_cast<std::int64_t>(touched), "item") + "\n- saved: ~" + thousands(meters.saved) +
          " tokens\n";
  if (meters.turns_to_next >= 0)
    text += "- next tier in about " + std::to_string(meters.turns_to_next) + (meters.turns_to_next == 1 ? " turn\n" : " turns\n");
  return text + "- " + agent.compactor.status() + '\n';
}

std::string answer_context(Agent& agent, const ContextQuery& query, const Configure& configure) {
  const auto arguments = json::parse(query.arguments.empty() ? "{}" : query.arguments, nullptr, false);
  if (!arguments.is_object()) return "The arguments must be a JSON object.";
  if (query.action == "status") return context_status_text(agent);
  if (query.action == "compress") return compress_now(agent, arguments, query.stop);
  if (query.action == "summary") return summaries_text(agent.store, arguments.value("limit", std::size_t{3}));
  if (query.action == "config")
    return configure ? configure(query.arguments) : "The configuration cannot be changed in this run.";
  return "Unknown action \"" + query.action + "\".";
}

std::string summaries_text(const Store& store, std::size_t newest) {
  const auto all = store.summaries();
  std::string text;
  std::size_t shown = 0;
  for (auto one = all.rbegin(); one != all.rend() && shown < newest; ++one) {
    if (one->session != store.session()) continue;
    const auto* row = &one->record;
    ++shown;
    text += "## No. " + std::to_string(one->number) + " · " + local_time(row->when) + " · turns " +
            std::to_string(row->first_turn) + "–" + std::to_string(row->last_turn) + " · " + thousands(row->before) + " → " +
            thousands(row->after) + " tokens" + (row->undone ? " · undone" : "") + "\n\n" + row->summary + '\n';
    if (!row->index.empty()) text += '\n' + index_page(row->index);
    text += '\n' + row->audit + "\n\n";
  }
  return text.empty() ? "No summary has been written yet.\n" : text;
}

std::string audit_text(const Store& store) {
  const auto all = store.summaries();
  const auto newest = std::find_if(all.rbegin(), all.rend(), [&](const auto& one) { return one.session == store.session(); });
  if (newest == all.rend()) return "No summary has been written yet.\n";
  return "No. " + std::to_string(newest->number) + " · " + newest->record.audit + "\n\n" + newest->record.audit_full;
}

std::string compaction_log_text(const Store& store) {
  std::string text;
  for (const auto& row : store.compactions(true)) {
    text += '#' + std::to_string(row.batch) + "  " + local_time(row.when) + "  ";
    if (row.tier == Tier::none)
      text += row.strategy + (row.undone ? " · UNDONE" : "") + '\n';
    else
      text += std::string(to_string(row.tier)) + " · " + row.strategy + (row.model.empty() ? "" : " · " + row.model) + " · " +
              thousands(row.before) + " → " + thousands(row.after) + " tokens · " +
              counted(static_cast<std::int64_t>(row.items), "item") + " · pause " + std::to_string(row.pause_ms) + " ms" +
              (row.undone ? " · UNDONE" : "") + '\n';
    for (const auto* line : {&row.why, &row.cost, &row.audit})
      if (!line->empty()) text += "    " + *line + '\n';
  }
  return text.empty() ? "Nothing has been decided yet.\n" : text;
}

JournalStore journal_store(Store& store) {
  return {[&store](const FileChange& change) { store.add_change(change); },
          [&store](std::uint64_t first, std::uint64_t last) { return store.changes(first, last); }};
}

}  // namespace tern
