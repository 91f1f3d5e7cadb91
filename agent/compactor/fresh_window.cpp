#include "agent/compactor/fresh_window.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "agent/compactor/compactor.h"
#include "agent/compactor/resume_rule.h"
#include "agent/store/compaction_text.h"
#include "agent/store/row_store.h"
#include "compression/reading/index.h"
#include "compression/values/rounds.h"
#include "compression/values/tokens.h"
#include "tools/set/tool.h"

namespace tern {
namespace {

constexpr std::uint64_t long_without_a_note = 20;  // turns
constexpr double worth_a_note = 0.40;              // of the working size: below it nothing leaves soon
constexpr Tokens worth_a_window =
    80;                        // notes that may stand for a summary, where the style is for tern to choose
constexpr double soon = 0.08;  // of the working size before a compaction is due

const Reason leaves{Tier::compact, "fresh", "left for a fresh window"};

constexpr const char* times_key = "note times";

bool offers_notes(const Context& context) {
  return std::any_of(context.tools.begin(), context.tools.end(),
                     [](const ToolSpec& tool) { return tool.duty == ToolDuty::notes; });
}

std::string open_todos(const std::vector<TodoItem>& todos) {
  std::vector<TodoItem> open;
  for (const auto& todo : todos)
    if (todo.status != "completed") open.push_back(todo);
  return todo_lines(open);
}

// The oldest rounds leave until so many tokens are left; with zero everything that may leave does.
Edits dropping(const Conversation& conversation, const CompressionConfig& config, Tokens room) {
  const auto parts = outline(conversation, protected_items(conversation, config));
  Taker taker(conversation, parts, leaves);
  for (std::size_t i = 0; i < parts.turns.size() && taker.tokens() > room; ++i) {
    const auto& turn = parts.turns[i];
    for (auto round = turn.first_round; round < turn.end_round && taker.tokens() > room; ++round)
      taker.take(round);
    if (taker.tokens() > room) taker.take_turn(i);  // the prompt too, where nothing is left of its answers
  }
  return std::move(taker).edits();
}

Item told(std::string text) {
  Item item;
  item.role = Role::user;
  item.synthetic = true;
  item.blocks.push_back(Text{std::move(text)});
  return item;
}

}  // namespace

std::string notes_text(std::vector<Note> notes, Tokens budget) {
  std::stable_sort(notes.begin(), notes.end(), [](const Note& a, const Note& b) { return a.turn > b.turn; });
  std::string text, others;
  for (const auto& note : notes) {
    const auto page = "## " + note.path + "\n" + note.text + (note.text.ends_with('\n') ? "\n" : "\n\n");
    const auto cost = estimate(page);
    if (cost > budget) {
      others += (others.empty() ? "" : ", ") + note.path;
      continue;
    }
    budget -= cost;
    text += page;
  }
  if (!others.empty()) text += "More notes, to be read with Notes: " + others + "\n";
  return text;
}

std::string by_notes(const CompressionConfig& config, const std::vector<Note>& notes,
                     std::uint64_t since_turn) {
  if (config.context_style == ContextStyle::summary) return {};
  std::string written;
  Tokens size = 0;
  for (const auto& note : notes) {
    if (note.turn <= since_turn) continue;
    written += (written.empty() ? "" : ", ") + note.path;
    size += estimate(note.text);
  }
  if (size >= worth_a_window || (size > 0 && config.context_style == ContextStyle::notes))
    return "by notes, written since the last compaction: " + written;
  return config.context_style == ContextStyle::notes ? "by notes, as contextStyle asks" : "";
}

std::optional<FreshWindow> fresh_window(const Conversation& conversation, const Budget& budget,
                                        const std::vector<Note>& notes, const std::vector<TodoItem>& todos,
                                        const std::string& why, Tokens room) {
  const auto gone = dropping(conversation, budget.config, room);
  if (gone.empty()) return std::nullopt;
  Conversation left;
  for (const auto& edit : gone)
    for (const auto& item : conversation.items)
      if (item->id == edit.target) left.items.push_back(item);
  FreshWindow made;
  made.left = gone.size();
  made.covers = {left.items.front()->id, left.items.back()->id};
  made.index = index_of(left, budget.config.index_budget);
  made.text = "[tern: a fresh window begins here. " +
              counted(static_cast<std::int64_t>(gone.size()), "earlier message") +
              " left the context, none is lost: Recall brings back any id, or finds one by its words.]\n";
  if (!why.empty()) made.text += "\nWhy: " + why + '\n';
  if (const auto kept = notes_text(notes, budget.config.note_budget); !kept.empty())
    made.text += "\n# Your notes\n\n" + kept;
  if (const auto open = open_todos(todos); !open.empty()) made.text += "\n# Open todos\n\n" + open;
  auto whole = made.text;
  if (!made.index.empty()) whole += "\n# Index of what left\n\n" + made.index;
  auto item =
      make_item({.role = Role::user, .blocks = {Summary{std::move(whole), made.covers}}, .synthetic = true});
  const auto cost = item->tokens;
  made.edits.push_back({gone.front().target, Insert{std::move(item)}, leaves, -cost});
  for (const auto& edit : gone) made.edits.push_back(edit);
  return made;
}

// Ready to be committed or shown first. Rejected: nothing may leave, or what would be told of it is larger.
std::variant<Compactor::Result, Rejected> Compactor::fresh(const Context& context, const std::string& why,
                                                           Tokens room) {
  auto made =
      fresh_window(context.conversation, budget_of(context), notes_.book.notes(), world_.todos, why, room);
  if (!made) return Rejected{"Nothing to leave out: all of the context is current work, pinned or recent."};
  const auto after = count(tern::apply(context.conversation, made->edits));
  if (after >= count(context.conversation))
    return Rejected{"No fresh window: it would be no smaller, since its notes and index take more than the " +
                    counted(static_cast<std::int64_t>(made->left), "message") + " that may leave."};
  return Result{.edits = std::move(made->edits),
                .tier = Tier::compact,
                .strategy = "fresh",
                .why = why.empty() ? kAskedFor : why,
                .summary = std::move(made->text),
                .index = std::move(made->index),
                .covers = made->covers};
}

void NoteTimes::save(RowStore& store) const {
  std::ostringstream out;
  out << reminded << ' ' << unasked << ' ' << compacted_in << ' ' << reminded_turn;
  store.set_state(times_key, out.str());
}

void NoteTimes::load(const RowStore& store) {
  NoteTimes kept;
  std::istringstream in(store.state(times_key));
  if (in >> kept.reminded >> kept.unasked >> kept.compacted_in >> kept.reminded_turn) *this = kept;
}

std::string Compactor::notes_suffice(const Context& context) {
  if (context.config.context_style == ContextStyle::summary) return {};
  // Written at the last moment, on request, notes keep fewer words than a summary does: with the same text
  // for both, eight recorded sessions had 0.89 of what was said and why behind a window of notes, 0.93 behind
  // a summary.
  if (context.config.context_style == ContextStyle::automatic && notes_.reminded && !notes_.unasked)
    return {};
  return by_notes(context.config, notes_.book.notes(), notes_.compacted_in);
}

void Compactor::window_began() {
  notes_.reminded = false;
  notes_.compacted_in = world_.turn;
  notes_.save(world_.store);
}

// In place of a summary that is due. False: the summary is made, and why it is one stands in `due`.
bool Compactor::starts_fresh(Context& context, Plan& due) {
  const auto why = notes_suffice(context);
  if (why.empty()) {
    const bool asked = !by_notes(context.config, notes_.book.notes(), notes_.compacted_in).empty();
    if (offers_notes(context))
      due.why += asked ? "; by a summary: notes were written only when they were asked for"
                       : "; by a summary: no note was written since the last compaction";
    return false;
  }
  const auto budget = budget_of(context);
  const auto told = budget.config.index_budget + budget.config.note_budget;
  auto made = fresh(context, due.why + "; " + why, std::max<Tokens>(compaction_goal(budget) - told, 1));
  if (auto* result = std::get_if<Result>(&made)) return commit(context, std::move(*result));
  due.why += "; by a summary: a window of notes would be no smaller";
  return false;
}

// Said to the model before a compaction takes the older messages, and when it has kept nothing for long.
void Compactor::remind_of_notes(Context& context) {
  if (!offers_notes(context) || context.config.context_style == ContextStyle::summary) return;
  const double share = fill_share(context);
  if (share < worth_a_note || world_.turn < notes_.reminded_turn + 1) return;
  const auto last = std::max({notes_.book.last_turn(), notes_.compacted_in, notes_.reminded_turn});
  if (!notes_.reminded && share >= context.config.compact_at - soon) {
    notes_.reminded = true;
    notes_.unasked = !by_notes(context.config, notes_.book.notes(), notes_.compacted_in).empty();
    notes_.reminded_turn = world_.turn;
    world_.append(told("[tern: the context is " + fullness(context) +
                       " tokens and older messages leave soon. Keep with Notes what the work still needs: "
                       "what was asked, what is "
                       "decided and why, what is done, what comes next. Then go on.]"));
    notes_.save(world_.store);
  } else if (world_.turn >= last + long_without_a_note) {
    notes_.reminded_turn = world_.turn;
    world_.append(told("[tern: nothing was noted for " + std::to_string(world_.turn - last) +
                       " turns. If something must outlast this window, keep it with Notes.]"));
    notes_.save(world_.store);
  }
}

// After a summary: notes stand in every window.
void Compactor::show_notes(Context& context) {
  window_began();
  const auto& items = context.conversation.items;
  const bool there = std::any_of(items.begin(), items.end(), [](const ItemPtr& item) {
    const auto* summary = item->blocks.empty() ? nullptr : std::get_if<Summary>(&item->blocks.front());
    return summary && summary->text.find("\n# Your notes\n") != std::string::npos;
  });
  const auto notes = notes_.book.notes();
  if (there || notes.empty()) return;
  world_.append(
      told("[tern: your notes, as they stand]\n\n" + notes_text(notes, context.config.note_budget)));
}

}  // namespace tern
