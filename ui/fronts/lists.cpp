#include "ui/fronts/lists.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/protocol/asked_words.h"
#include "ui/shell/shell.h"
#include "ui/text/format.h"
#include "ui/text/text_safe.h"
#include "ui/text/width.h"

namespace tern {
namespace {

using What = ListShown::What;
using RowRun = void (*)(Shell&, const ListRow&);

struct RowAction {
  const char *key, *verb;
  RowRun run;
  bool twice = false;
  void (*run_all)(Shell&, const std::vector<std::string>&) = nullptr;  // of the marked ones, by their ids
};

// What can be done with the rows of one kind of list.
struct Kind {
  What what;
  const char* opens;
  RowRun open;
  std::vector<RowAction> actions;
  void (*search)(Shell&, std::string) = nullptr;
};

// Changes a rule and has the list come again.
void change_rule(Shell& shell, Change change) {
  shell.send(std::move(change));
  shell.send(AskRules{});
}

// By hand in the context; what stands there then is shown.
template <EditContext::What what>
void edit_context(Shell& shell, const std::vector<std::string>& ids) {
  shell.send(EditContext{what, ids});
  if (shell.view.working) shell.say("when this turn has ended");
  shell.send(AskContextItems{});
}

void pin_all(Shell& shell, const std::vector<std::string>& ids) {
  for (const std::string& id : ids) shell.send(PinThis{id});
  shell.send(AskContextItems{});
}

void undo_last(Shell& shell, const std::vector<std::string>&) {
  shell.send(UndoCompact{1, {}});
  shell.send(AskContextItems{});
}

// What the context comes to without the marked rows.
std::string about_marked(const ListShown& list, const std::set<std::size_t>& marked) {
  std::int64_t gone = 0;
  for (const std::size_t row : marked) gone += list.rows[row].tokens;
  std::string text = " · " + short_count(list.used) + " of " + short_count(list.limit) + " tokens";
  if (!marked.empty())
    text += " · " + std::to_string(marked.size()) + " marked: " + short_count(list.used) + " → " +
            short_count(list.used - gone);
  return text;
}

std::uint64_t number_of(const ListRow& row) { return std::strtoull(row.id.c_str(), nullptr, 10); }

void edit_setting(Shell& shell, const ListRow& row) {
  shell.overlay.reset();
  shell.composer.set("/config " + row.id + " " + row.text);
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {What::tasks,
       "show output",
       [](Shell& s, const ListRow& row) { s.send(AskTaskOutput{row.id}); },
       {{"d", "end it",
         [](Shell& s, const ListRow& row) {
           s.send(StopJob{row.id});
           s.send(AskTasks{});
         },
         true}}},
      {What::rules,
       "session or project",
       [](Shell& s, const ListRow& row) { change_rule(s, RescopeRule{row.id}); },
       {{"d", "delete", [](Shell& s, const ListRow& row) { change_rule(s, RemoveRule{row.id}); }, true}}},
      {What::originals,
       "open",
       [](Shell& s, const ListRow& row) { s.send(AskOriginal{parse_recall_id(row.id)}); },
       {{"p", "pin",
         [](Shell& s, const ListRow& row) {
           s.send(PinThis{row.id});
           s.say("pinning " + row.id);
         }}},
       [](Shell& s, std::string words) { s.send(asked_words("recall", words)); }},
      {What::settings, "edit", edit_setting, {}},
      {What::context,
       "open",
       [](Shell& s, const ListRow& row) { s.send(AskOriginal{parse_recall_id(row.id)}); },
       {{"d", "drop", nullptr, false, edit_context<EditContext::What::drop>},
        {"f", "fold", nullptr, false, edit_context<EditContext::What::fold>},
        {"p", "pin", nullptr, false, pin_all},
        {"r", "bring back", nullptr, false, edit_context<EditContext::What::back>},
        {"u", "undo", nullptr, false, undo_last}}},
      {What::summaries,
       "open",
       [](Shell& s, const ListRow& row) { s.send(AskSummary{.number = number_of(row)}); },
       {{"c", "compare with the originals",
         [](Shell& s, const ListRow& row) {
           s.send(AskSummary{.number = number_of(row), .compared = true});
         }}}},
  };
  return all;
}

std::string item_of(const ListRow& row, int id_width, int text_width, bool counted) {
  RowBuilder item;
  item.add(safe_text(row.id, Lines::one)).fill_to(std::max(id_width + 2, 6));
  if (counted) {
    const std::string tokens = row.tokens > 0 ? short_count(row.tokens) : "-";
    constexpr int column = 6;
    id_width = std::max(id_width + 2, 6) + column;
    item.fill_to(id_width - width(tokens)).add(tokens).add("  ");
  }
  item.add(safe_text(row.text, Lines::one));
  if (!row.note.empty())
    item.fill_to(std::min(id_width + 2 + text_width + 2, 80)).add("  ").add(safe_text(row.note, Lines::one));
  return item.take().text;
}

}  // namespace

void open_list(Shell& shell, ListShown list) {
  if (list.rows.empty()) {
    if (shell.overlay && shell.overlay->list == list.title) close_overlay(shell);
    return shell.say(list.empty);
  }
  const auto& all = kinds();
  const auto kind =
      std::find_if(all.begin(), all.end(), [&](const Kind& one) { return one.what == list.what; });
  int ids = 0;
  std::vector<int> widths;
  for (const ListRow& row : list.rows) {
    ids = std::max(ids, std::min(width(row.id), 40));
    widths.push_back(width(row.text));
  }
  // Most of the texts, not the longest: the notes beside them must stay readable.
  const auto most = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() * 3 / 4);
  std::nth_element(widths.begin(), most, widths.end());
  const int texts = std::min(*most, 40);
  Overlay overlay;
  overlay.title = overlay.list = list.title;
  overlay.opens = kind->opens;
  for (const ListRow& row : list.rows) {
    overlay.items.push_back(item_of(row, ids, texts, list.limit > 0));
    if (list.what == What::settings) overlay.about.push_back(row.id + " " + row.text + " · " + row.note);
  }
  if (shell.deps.screen == ScreenKind::plain) {  // read line by line: the commands say what can be done
    std::string text;
    for (const std::string& item : overlay.items) text += item + "\n";
    return shell.page(Page{list.title, std::move(text)});
  }
  overlay.chosen = [rows = list.rows, kind](Shell& in, std::size_t index) { kind->open(in, rows[index]); };
  for (const RowAction& action : kind->actions) {
    const auto run = [rows = list.rows, action](Shell& in, std::size_t index) {
      action.run(in, rows[index]);
    };
    overlay.actions.push_back({action.key, action.verb, run, action.twice});
    if (!action.run_all) continue;
    overlay.marked.emplace();
    overlay.actions.back().run_all = [rows = list.rows, action](Shell& in,
                                                                const std::vector<std::size_t>& chosen) {
      std::vector<std::string> names;
      names.reserve(chosen.size());
      for (const std::size_t row : chosen) names.push_back(rows[row].id);
      action.run_all(in, names);
    };
  }
  if (overlay.marked)
    overlay.about_marked = [list](const std::set<std::size_t>& marked) { return about_marked(list, marked); };
  overlay.search = kind->search;
  if (shell.overlay && shell.overlay->list == overlay.list) {  // the same, come again
    overlay.selected = std::min(shell.overlay->selected, list.rows.size() - 1);
    overlay.filter = shell.overlay->filter;
  }
  shell.overlay = std::move(overlay);
}

}  // namespace tern
