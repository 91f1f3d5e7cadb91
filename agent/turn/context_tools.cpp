#include "agent/turn/context_tools.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "agent/protocol/local_time.h"
#include "agent/store/compaction_text.h"
#include "compression/plan/strategies.h"
#include "compression/text/plain_text.h"
#include "compression/text/utf8.h"
#include "tools/files/journal.h"

namespace tern {
namespace {

using nlohmann::json;

constexpr std::size_t most_recalled = 60'000;

std::string result_limits(const CompressionConfig& config) {
  const auto characters = [](std::size_t n) { return thousands(static_cast<std::int64_t>(n)); };
  if (config.snip_halves) return characters(config.max_tool_output) + " characters";
  return characters(relaxed_limit(config)) + " characters, " + characters(config.snip_limit) +
         " from 40% of the window on, " + characters(std::max(config.read_limit, config.snip_limit)) +
         " of a file";
}

std::string hits(const OriginalStore& store, const RecallQuery& query) {
  const auto id = parse_recall_id(query.id);
  if (!query.id.empty() && (!id || !store.original(id))) return "There is no " + query.id + '.';
  auto found = store.search_originals(query.search, id, query.lines ? 100'000 : 50);
  if (query.lines)
    std::erase_if(found, [&](const auto& hit) {
      return hit.line_number < query.lines->first || hit.line_number > query.lines->second;
    });
  if (found.size() > 50) found.resize(50);
  if (found.empty() && id)
    return query.id + " does not hold \"" + query.search + "\"" + (query.lines ? " in these lines." : ".");
  if (found.empty()) return "Nothing stored contains \"" + query.search + "\".";
  std::string text;
  for (const auto& hit : found) {
    const auto& name = hit.subject.empty() ? hit.tool : hit.subject;
    text += to_string(hit.id) + ':' + std::to_string(hit.line_number) + "  " +
            (name.empty() ? "message" : name) + "  " + hit.line + '\n';
  }
  return text;
}

std::string first_words_of(const std::string& text) {
  constexpr std::size_t most = 60;
  const auto line = text.substr(0, text.find('\n'));
  return line.substr(0, utf8_floor(line, most));
}

// What `list` asks for: every given word must hold. `since` counts back from the newest original, or is an
// id.
struct Wanted {
  std::string role, tool, path, wrong;
  std::optional<TimePoint> since;
  RecallId after;
};

void want_since(Wanted& wanted, std::string_view value, TimePoint newest) {
  std::size_t digits = 0, n = 0;
  for (; digits < value.size() && value[digits] >= '0' && value[digits] <= '9' && digits < 9; ++digits)
    n = n * 10 + static_cast<std::size_t>(value[digits] - '0');
  const auto unit = value.substr(digits);
  const auto minutes = unit == "m" ? 1 : unit == "h" ? 60 : unit == "d" ? 1'440 : 0;
  if (const auto id = parse_recall_id(value); id && value.starts_with('r'))
    wanted.after = id;
  else if (digits > 0 && minutes > 0)
    wanted.since = newest - std::chrono::minutes(static_cast<std::int64_t>(n) * minutes);
  else
    wanted.wrong = "since is 30m, 2h, 1d or an id such as r17.";
}

Wanted wanted_of(const std::string& list, TimePoint newest) {
  Wanted wanted;
  std::istringstream words(list);
  for (std::string word; words >> word;) {
    const auto mark = word.find('=');
    const auto key = word.substr(0, mark), value = mark == word.npos ? "" : word.substr(mark + 1);
    if (key == "role" && (value == "user" || value == "assistant"))
      wanted.role = value;
    else if (key == "tool" && !value.empty())
      wanted.tool = value;
    else if (key == "path" && !value.empty())
      wanted.path = value;
    else if (key == "since")
      want_since(wanted, value, newest);
    else if (word != "all")
      wanted.wrong =
          "list takes role=user or role=assistant, tool=NAME, path=PART, since=2h or since=r17; not " + word +
          ".";
  }
  return wanted;
}

bool is_wanted(const LogStore& store, const Original& one, const Wanted& wanted) {
  if (one.bytes == 0) return false;
  if (!wanted.tool.empty() && one.tool != wanted.tool) return false;
  if (!wanted.path.empty() && one.subject.find(wanted.path) == std::string::npos) return false;
  if ((wanted.since && one.when < *wanted.since) || (wanted.after && one.id <= wanted.after)) return false;
  if (wanted.role.empty()) return true;
  const auto item = one.tool.empty() ? store.item(one.item) : nullptr;
  return item && !item->synthetic && (item->role == Role::user) == (wanted.role == "user");
}

std::string listed(const LogStore& store, const std::string& list) {
  constexpr std::size_t most_known = 5'000, most_rows = 100;
  const auto all = store.originals(most_known);
  TimePoint newest{};
  for (const auto& one : all) newest = std::max(newest, one.when);
  const auto wanted = wanted_of(list, newest);
  if (!wanted.wrong.empty()) return wanted.wrong;
  std::string text;
  std::size_t rows = 0, more = 0;
  for (const auto& one : all) {
    if (!is_wanted(store, one, wanted)) continue;
    if (rows == most_rows) {
      ++more;
      continue;
    }
    ++rows;
    auto what =
        one.tool.empty() ? first_words_of(store.text(one.id).value_or("")) : one.tool + "  " + one.subject;
    text += to_string(one.id) + "  " + local_time(one.when) + "  " + what + "  " +
            counted(one.bytes, "byte") + '\n';
  }
  if (more > 0) text += "… and " + std::to_string(more) + " more: ask for less.\n";
  return text.empty() ? "Nothing stored fits \"" + list + "\"." : text;
}

std::string capped(std::string text, const std::string& id) {
  if (text.size() <= most_recalled) return text;
  auto cut = text.rfind('\n', most_recalled);
  if (cut == std::string::npos) cut = most_recalled;
  const auto shown = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(cut), '\n') + 1;
  text.resize(cut);
  return text + "\n[" + id + " goes on: ask for lines from " + std::to_string(shown + 1) +
         " on, or search in it]";
}

std::string no_such_lines(const OriginalStore& store, const RecallQuery& query) {
  const std::string text = store.text(parse_recall_id(query.id)).value_or("");
  const auto count = std::count(text.begin(), text.end(), '\n') + (!text.empty() && text.back() != '\n');
  return query.id + " has " + counted(count, "line") + "; none of them is asked for.";
}

// The calls of this message are not all answered yet: the turn compacts when they are.
std::string queue_compaction(Agent& agent, const json& arguments) {
  Compact command;
  command.focus = arguments.value("focus", "");
  command.strategy = arguments.value("strategy", "");
  if (!command.strategy.empty() && !is_compaction(command.strategy))
    return "There is no strategy \"" + command.strategy + "\". There is: " + compaction_names() + ".";
  agent.compaction_due = std::move(command);
  return "The conversation is compacted before your next answer.";
}

std::string answer_notes(Agent& agent, const json& arguments) {
  auto& book = agent.compactor.notes();
  const auto op = arguments.value("op", ""), path = arguments.value("name", ""),
             text = arguments.value("text", "");
  if (op == "read") return book.read(path);
  if (op == "search") return book.search(text);
  if (op == "write" || op == "append") return book.write(path, text, agent.turn, op == "append");
  return book.list();
}

std::string queue_fresh(Agent& agent, const json& arguments) {
  agent.compaction_due =
      Compact{.focus = arguments.value("why", ""), .strategy = kFresh, .preview = false, .range = {}};
  return "A fresh window begins before your next answer. It holds your notes, the open todos, what was said "
         "last and an index.";
}

std::string compaction_outcome(bool fresh, std::size_t messages, std::size_t now, Tokens before,
                               Tokens after) {
  if (after >= before && fresh)
    return "[No fresh window was begun: it would be no smaller. What is left is current work, pinned or too "
           "small to pay. Go on in this one.]";
  if (after >= before)
    return "[Nothing was compacted: what is left is protected, pinned or too small to pay.]";
  return "[Compacted: " + std::to_string(messages) + " → " +
         counted(static_cast<std::int64_t>(now), "message") + " (" +
         std::to_string(messages - std::min(now, messages)) + " fewer), " + thousands(before) + " → " +
         thousands(after) + " tokens.]";
}

}  // namespace

std::string answer_recall(const LogStore& store, const RecallQuery& query) {
  if (!query.list.empty()) return listed(store, query.list);
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

namespace {

// A mark as a share and in tokens: "60% (108k)".
std::string mark(double share, Tokens of) {
  return percent(share) + " (" + thousands(static_cast<Tokens>(share * static_cast<double>(of))) + ")";
}

std::string settings_text(const Context& context, const Meters& meters) {
  const auto& config = context.config;
  std::string text = "\n**Configuration**\n- keep recent: " + counted(config.keep_recent, "turn") +
                     "\n- max turns: " + std::to_string(config.max_turns) +
                     (config.sliding_window ? " (sliding window)" : " (a summary takes older ones)") +
                     "\n- tool output limit: " + result_limits(config) + "\n- auto-compress: ";
  if (!config.auto_compress) return text + "off, nothing is compacted by itself\n";
  return text + "on: old results are shortened at " + mark(config.micro_at, meters.limit) +
         ", a summary is made at " + mark(config.compact_at, meters.limit) + ", the oldest is removed at " +
         thousands(static_cast<Tokens>(config.truncate_at * static_cast<double>(meters.effective))) + "\n";
}

}  // namespace

std::string context_status_text(const Agent& agent) {
  const auto& context = agent.context;
  const auto meters = read_meters(context);
  const auto compactions = agent.store.compactions();
  std::size_t touched = 0;
  for (const auto& row : compactions) touched += row.undone ? 0 : row.items;
  std::string text = "## Context\n";
  text += std::string(meters.estimated ? "~" : "") + thousands(meters.used) + " of " +
          thousands(meters.limit) + " tokens (" +
          percent(static_cast<double>(meters.used) / static_cast<double>(std::max<Tokens>(meters.limit, 1))) +
          "), " + meters.model + " with a window of " + thousands(meters.window) + "\n";
  for (const auto& part : meters.parts) text += "- " + part.name + ": " + thousands(part.tokens) + '\n';
  text += settings_text(context, meters);
  text += "\n**Statistics**\n- messages: " + std::to_string(context.conversation.items.size()) +
          "\n- compactions: " + std::to_string(compactions.size()) +
          "\n- compacted: " + counted(static_cast<std::int64_t>(touched), "message") + "\n- saved: ~" +
          thousands(meters.saved) + " tokens\n";
  if (meters.turns_to_next >= 0)
    text += "- next tier in about " + std::to_string(meters.turns_to_next) +
            (meters.turns_to_next == 1 ? " turn\n" : " turns\n");
  const auto status = agent.compactor.status();
  return status.empty() ? text : text + "- " + status;
}

std::string answer_context(Agent& agent, const ContextQuery& query, const Configure& configure) {
  const auto arguments = json::parse(query.arguments.empty() ? "{}" : query.arguments, nullptr, false);
  if (!arguments.is_object()) return "The arguments must be a JSON object.";
  if (query.action == "status") return context_status_text(agent);
  if (query.action == "notes") return answer_notes(agent, arguments);
  if (query.action == "fresh") return queue_fresh(agent, arguments);
  if (query.action == "compress") return queue_compaction(agent, arguments);
  if (query.action == "summary") return summaries_text(agent.store, arguments.value("limit", std::size_t{3}));
  if (query.action == "config")
    return configure ? configure(query.arguments) : "The configuration cannot be changed in this run.";
  return "Unknown action \"" + query.action + "\".";
}

void compact_if_due(Agent& agent, std::stop_token stop) {
  const auto command = std::exchange(agent.compaction_due, std::nullopt);
  if (!command) return;
  const auto& conversation = agent.context.conversation;
  const auto used = [&] { return usage(conversation, budget_of(agent.context)).used; };
  const auto messages = conversation.items.size();
  const auto before = used();
  agent.compactor.compact(agent.context, *command, stop);
  if (stop.stop_requested()) return;
  Item told;
  told.role = Role::user;
  told.synthetic = true;
  told.blocks.push_back(Text{
      compaction_outcome(command->strategy == kFresh, messages, conversation.items.size(), before, used())});
  append(agent, std::move(told));
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
            std::to_string(row->first_turn) + "–" + std::to_string(row->last_turn) + " · " +
            thousands(row->before) + " → " + thousands(row->after) + " tokens" +
            (row->undone ? " · undone" : "") + "\n\n" + row->summary + '\n';
    if (!row->index.empty()) text += '\n' + index_page(row->index);
    text += '\n' + row->audit + "\n\n";
  }
  return text.empty() ? "No summary has been written yet.\n" : text;
}

std::string audit_text(const Store& store) {
  const auto all = store.summaries();
  const auto newest =
      std::find_if(all.rbegin(), all.rend(), [&](const auto& one) { return one.session == store.session(); });
  if (newest == all.rend()) return "No summary has been written yet.\n";
  return "No. " + std::to_string(newest->number) + " · " + newest->record.audit + "\n\n" +
         newest->record.audit_full;
}

std::string compaction_log_text(const AccountStore& store) {
  std::string text;
  for (const auto& row : store.compactions(true)) {
    text += '#' + std::to_string(row.batch) + "  " + local_time(row.when) + "  ";
    if (row.tier == Tier::none)
      text += row.strategy + (row.undone ? " · UNDONE" : "") + '\n';
    else
      text += std::string(to_string(row.tier)) + " · " + row.strategy +
              (row.model.empty() ? "" : " · " + row.model) + " · " + thousands(row.before) + " → " +
              thousands(row.after) + " tokens · " + counted(static_cast<std::int64_t>(row.items), "item") +
              " · pause " + std::to_string(row.pause_ms) + " ms" + (row.undone ? " · UNDONE" : "") + '\n';
    for (const auto* line : {&row.why, &row.cost, &row.audit})
      if (!line->empty()) text += "    " + *line + '\n';
  }
  return text.empty() ? "No compactions yet.\n" : text;
}

JournalStore journal_store(RowStore& store) {
  return {[&store](const FileChange& change) { store.add_change(change); },
          [&store](std::uint64_t first, std::uint64_t last) { return store.changes(first, last); }};
}

}  // namespace tern
