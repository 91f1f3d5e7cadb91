#include "ui/shell/overlay.h"

#include <algorithm>
#include <utility>

#include "ui/parts/file_index.h"
#include "ui/parts/text_search.h"
#include "ui/shell/shell.h"
#include "ui/text/text_safe.h"
#include "ui/text/width.h"
#include "ui/text/wrap.h"

namespace tern {
namespace {

constexpr Style muted{.fg = Colour::muted};

void add_item(RowBuilder& row, const std::string& item, int width, const Style& style) {
  constexpr int least_text = 40;
  const std::size_t mark = item.find(note_mark);
  const std::string text = safe_text(item.substr(0, mark), Lines::one);
  std::string note = mark == item.npos ? "" : safe_text(item.substr(mark + 1), Lines::one);
  const int room = width - row.columns(), beside = room - tern::width(note) - 2;
  if (beside < std::min(least_text, tern::width(text))) note.clear();
  row.add(shorten(text, note.empty() ? room : beside), style);
  if (!note.empty()) row.fill_to(width - tern::width(note)).add(note, muted);
}

Rows picker_rows(Overlay& overlay, int width) {
  Rows rows;
  const auto shown = filtered(overlay);
  overlay.selected = std::min(overlay.selected, shown.empty() ? 0 : shown.size() - 1);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const bool here = i == overlay.selected;
    RowBuilder row;
    row.add(here ? "❯ " : "  ", Style{.fg = Colour::accent, .bold = true});
    if (overlay.marked) row.add(overlay.marked->count(shown[i]) ? "✓ " : "  ", Style{.fg = Colour::accent});
    add_item(row, overlay.items[shown[i]], width, here ? Style{.bold = true} : Style{});
    rows.push_back(row.take());
  }
  if (rows.empty()) rows.push_back(RowBuilder().add("  nothing matches", muted).take());
  return rows;
}

constexpr std::size_t most_about = 3, least_list = 4;

// The selected item in full, below a list. Its place is as high as the longest of them needs, so that nothing
// moves with the selection; where that leaves too little of the list, there is none.
Rows about_rows(const Overlay& overlay, int width, std::size_t room) {
  if (overlay.about.empty()) return {};
  const auto wrapped = [&](const std::string& text) {
    Rows rows;
    wrap_into(rows, RowBuilder().add(safe_text(text, Lines::one), muted).take(), width, "  ", "  ");
    return rows;
  };
  std::size_t high = 0;
  for (const std::string& text : overlay.about) high = std::max(high, wrapped(text).size());
  high = std::min(high, most_about);
  if (room < high + 1 + least_list) return {};
  const auto shown = filtered(overlay);
  Rows rows = {Row{}};
  if (!shown.empty())
    append(rows, wrapped(overlay.about[shown[std::min(overlay.selected, shown.size() - 1)]]));
  rows.resize(high + 1);
  return rows;
}

void find_next(Overlay& overlay, const Rows& rows, bool older) {
  overlay.missed = false;
  if (overlay.last_find.empty() || rows.empty()) return;
  const std::size_t n = rows.size(), end = std::min(n, overlay.top + overlay.page);
  const bool goes_on = overlay.hit && *overlay.hit >= overlay.top && *overlay.hit < end;
  const std::size_t from = goes_on ? *overlay.hit : older ? end : overlay.top + n - 1;
  for (std::size_t k = 1; k <= n; ++k) {
    const std::size_t i = older ? (from + n - k) % n : (from + k) % n;
    if (find_text(rows[i].text, overlay.last_find) == std::string::npos) continue;
    overlay.hit = i;
    overlay.hits = overlay.hit_number = 0;
    for (std::size_t row = 0; row < n; ++row) {
      if (find_text(rows[row].text, overlay.last_find) == std::string::npos) continue;
      ++overlay.hits;
      overlay.hit_number += row <= i;
    }
    if (i < overlay.top || i >= end) overlay.top = i - std::min(i, overlay.page / 3);
    return;
  }
  overlay.missed = true;
}

bool scroll_key(Overlay& overlay, const KeyPress& press) {
  const auto letter = press.key == Key::character && !press.ctrl ? press.text : std::string();
  const std::size_t last = overlay.lines > overlay.page ? overlay.lines - overlay.page : 0;
  const auto move = [&](long by) {
    overlay.top = static_cast<std::size_t>(
        std::clamp<long>(static_cast<long>(overlay.top) + by, 0, static_cast<long>(last)));
  };
  if (press.key == Key::up || letter == "k")
    move(-1);
  else if (press.key == Key::down || letter == "j")
    move(1);
  else if (press.key == Key::page_up || letter == "b")
    move(-static_cast<long>(overlay.page));
  else if (press.key == Key::page_down || letter == " ")
    move(static_cast<long>(overlay.page));
  else if (press.key == Key::home || letter == "g")
    overlay.top = 0;
  else if (press.key == Key::end || letter == "G")
    overlay.top = last;
  else
    return false;
  return true;
}

bool pager_key(Overlay& overlay, const KeyPress& press, int width) {
  overlay.missed = false;
  if (overlay.find) {
    if (press.key == Key::escape)
      overlay.find.reset();
    else if (press.key == Key::enter) {
      overlay.last_find = *overlay.find;
      overlay.find.reset();
      overlay.hit.reset();
      find_next(overlay, overlay.content(width), false);
    } else
      typed(*overlay.find, press);
    return false;
  }
  if (scroll_key(overlay, press)) return false;
  if (press.key == Key::character && press.text == "/") overlay.find = "";
  if (press.key == Key::character && (press.text == "n" || press.text == "N"))
    find_next(overlay, overlay.content(width), press.text == "N");
  return press.key == Key::character && (press.text == "q" || (press.ctrl && press.text == "c"));
}

}  // namespace

std::vector<std::size_t> filtered(const Overlay& overlay) {
  std::vector<std::size_t> shown;
  if (overlay.filter.empty()) {
    for (std::size_t i = 0; i < overlay.items.size(); ++i) shown.push_back(i);
    return shown;
  }
  for (const FuzzyHit& hit : fuzzy(overlay.items, overlay.filter, overlay.items.size()))
    shown.push_back(hit.index);
  return shown;
}

namespace {

Row list_keys(const Overlay& overlay, int width) {
  for (const ListAction& action : overlay.actions)
    if (action.key == overlay.armed)
      return key_hints({{action.key, "once more to " + action.verb}, {"esc", "keep"}}, width);
  if (overlay.filtering && overlay.search)
    return key_hints({{"enter", "search inside"}, {"esc", "all"}}, width);
  if (overlay.filtering) return key_hints({{"enter", "done"}, {"esc", "all"}}, width);
  std::vector<KeyHint> hints = {{"enter", overlay.opens}};
  if (overlay.marked) hints.push_back({"space", "mark"});
  for (const ListAction& action : overlay.actions) hints.push_back({action.key, action.verb});
  hints.insert(hints.end(),
               {{"/", overlay.search ? "search" : "filter"}, {"esc", overlay.below ? "back" : "close"}});
  return key_hints(hints, width);
}

Row footer_of(const Overlay& overlay, int width) {
  const bool picker = !overlay.content;
  const auto said = [&](const std::string& text) {
    return RowBuilder().add(shorten(text, width), Style{.fg = Colour::accent}).take();
  };
  if (overlay.find) return said("/" + safe_text(*overlay.find, Lines::one) + "▏");
  if (!overlay.said.empty()) return said(safe_text(overlay.said, Lines::one));
  if (overlay.missed) return said("not found: " + safe_text(overlay.last_find, Lines::one));
  if (!overlay.keys.empty()) return key_hints(overlay.keys, width);
  if (picker && !overlay.opens.empty()) return list_keys(overlay, width);
  if (picker) return key_hints({{"enter", "choose"}, {"esc", "close"}, {"type", "filter"}}, width);
  std::vector<KeyHint> hints = {{"esc", overlay.below ? "back" : "close"}};
  if (overlay.lines > overlay.page)
    hints.insert(hints.end(), {{"space b", "page"}, {"/", "search"}, {"n N", "next"}});
  return key_hints(hints, width);
}

}  // namespace

Rows overlay_rows(Overlay& overlay, int width, int height) {
  const bool picker = !overlay.content;
  const int inside = std::max(4, width - 4);
  Rows body = picker ? picker_rows(overlay, inside) : overlay.content(inside);
  overlay.page = static_cast<std::size_t>(std::max(1, height - 2));
  Rows below = about_rows(overlay, inside, overlay.page);
  overlay.page -= below.size();
  overlay.lines = body.size();
  overlay.width = inside;
  const std::size_t last = body.size() > overlay.page ? body.size() - overlay.page : 0;
  if (picker) {
    overlay.top = std::min(overlay.top, overlay.selected);
    if (overlay.selected >= overlay.top + overlay.page) overlay.top = overlay.selected + 1 - overlay.page;
  }
  overlay.top = std::min(overlay.top, last);
  Rows shown;
  for (std::size_t i = overlay.top; i < body.size() && i < overlay.top + overlay.page; ++i) {
    overlay.selection.paint(body[i], i);
    mark_hits(body[i], overlay.last_find, overlay.hit == i);
    shown.push_back(std::move(body[i]));
  }
  if (picker)
    shown.resize(
        std::max(shown.size(), std::min(overlay.page, overlay.items.size())));  // a filter moves nothing
  append(shown, std::move(below));
  Frame frame;
  const std::string about =
      overlay.about_marked && overlay.marked ? overlay.about_marked(*overlay.marked) : "";
  const std::string filter =
      overlay.filter.empty() ? "" : "  " + shorten(safe_text(overlay.filter, Lines::one), inside / 2) + "▏";
  const int room = std::max(1, inside - 2 - tern::width(filter));  // the frame's own marks stand beside it
  frame.title = RowBuilder()
                    .add(shorten(safe_text(overlay.title + about, Lines::one), room),
                         Style{.fg = Colour::accent, .bold = true})
                    .add(filter)
                    .take();
  if (last > 0) {
    const std::size_t seen = picker ? overlay.selected + 1 : overlay.top + overlay.page;
    std::string place = std::to_string(std::min(seen, overlay.lines)) + "/" + std::to_string(overlay.lines);
    if (overlay.hit)
      place = "hit " + std::to_string(overlay.hit_number) + " of " + std::to_string(overlay.hits);
    frame.rest = RowBuilder().add(place, muted).take();
  }
  frame.footer = footer_of(overlay, inside - (last > 0 ? 16 : 2));
  return framed(shown, width, frame);
}

void typed(std::string& text, const KeyPress& press) {
  if (press.key == Key::backspace && !text.empty()) text.resize(previous_boundary(text, text.size()));
  if (press.key == Key::character && !press.ctrl && !press.alt) text += press.text;
}

bool overlay_paste(Overlay& overlay, std::string_view text) {
  if (overlay.find)
    *overlay.find += text;
  else if (!overlay.content)
    overlay.filter += text;
  return overlay.find || !overlay.content;
}

std::string overlay_mouse(Overlay& overlay, const Mouse& event, int y) {
  using What = Mouse::What;
  constexpr int above = 1, left = 2;  // its frame
  const int line = y - above, page = static_cast<int>(overlay.page);
  if (!overlay.content) {  // a list: the row that was clicked is the one Enter takes
    const auto row = overlay.top + static_cast<std::size_t>(std::max(0, line));
    if (event.what == What::press && line >= 0 && line < page && row < overlay.lines) overlay.selected = row;
    return {};
  }
  if (event.what == What::press && (line < 0 || line >= page))
    return overlay.selection.clear(), std::string();
  if (event.what != What::press && !overlay.selection.dragging()) return {};
  const Rows rows = overlay.content(overlay.width);
  const std::size_t last = rows.size() > overlay.page ? rows.size() - overlay.page : 0;
  if (event.what == What::drag && line < 0) overlay.top -= overlay.top > 0;
  if (event.what == What::drag && line >= page) overlay.top = std::min(overlay.top + 1, last);
  const auto row =
      std::min(overlay.top + static_cast<std::size_t>(std::clamp(line, 0, std::max(0, page - 1))),
               std::max<std::size_t>(rows.size(), 1) - 1);
  if (event.what == What::press) overlay.selection.press(rows, row, event.x - left);
  if (event.what == What::drag) overlay.selection.drag(rows, row, event.x - left);
  if (event.what != What::release) return {};
  std::string text = overlay.selection.text(rows);
  if (text.empty()) overlay.selection.clear();
  return text;
}

void close_overlay(Shell& shell) {
  const auto below = shell.overlay ? shell.overlay->below : nullptr;
  shell.overlay.reset();
  if (below) shell.overlay = std::move(*below);
}

namespace {

void toggle_mark(Overlay& overlay, std::size_t index, std::size_t shown) {
  if (!overlay.marked->erase(index)) overlay.marked->insert(index);
  if (overlay.selected + 1 < shown) ++overlay.selected;
}

// On the marked rows where there are some, else on this one.
void run_action(Shell& shell, const ListAction& action, std::size_t index) {
  if (!action.run_all) return action.run(shell, index);
  const auto& marked = shell.overlay->marked;
  std::vector<std::size_t> all = {index};
  if (marked && !marked->empty()) all.assign(marked->begin(), marked->end());
  action.run_all(shell, std::move(all));
}

bool is_letter(const KeyPress& press) { return press.key == Key::character && !press.ctrl && !press.alt; }

// While the words of the filter are typed.
bool filter_key(Shell& shell, Overlay& overlay, const KeyPress& press) {
  if (press.key == Key::escape) overlay.filter.clear();
  if (press.key == Key::enter && overlay.search && !overlay.filter.empty()) {
    const auto search = overlay.search;
    overlay.filtering = false;
    search(shell, std::exchange(overlay.filter, {}));
    return true;
  }
  if (press.key == Key::escape || press.key == Key::enter) return overlay.filtering = false, true;
  if (is_letter(press) || press.key == Key::backspace) return typed(overlay.filter, press), true;
  return false;
}

constexpr std::int64_t second_stroke_ms = 300;

void act(Shell& shell, Overlay& overlay, const std::string& key, const std::string& armed,
         std::size_t index) {
  const auto action = std::find_if(overlay.actions.begin(), overlay.actions.end(),
                                   [&](const auto& a) { return a.key == key; });
  if (action == overlay.actions.end()) return;
  const bool meant = armed == key && shell.now_ms - overlay.armed_ms >= second_stroke_ms;
  if (action->twice && !meant)
    overlay.armed = key, overlay.armed_ms = shell.now_ms;
  else
    run_action(shell, ListAction(*action), index);  // a copy: the list may be gone afterwards
}

// The keys of a list that acts; false: they mean what they mean in any list.
bool list_key(Shell& shell, const KeyPress& press, const std::vector<std::size_t>& shown) {
  Overlay& overlay = *shell.overlay;
  const std::string armed = std::exchange(overlay.armed, {});
  const bool letter = is_letter(press);
  if (overlay.filtering) return filter_key(shell, overlay, press);
  if (press.key == Key::escape && (!armed.empty() || !overlay.filter.empty()))
    return overlay.filter.clear(), true;
  if (letter && press.text == "/") return overlay.filtering = true;
  if (letter && press.text == "q") return close_overlay(shell), true;
  if (!letter && press.key != Key::enter) return false;
  if (shown.empty()) return true;
  const std::size_t index = shown[std::min(overlay.selected, shown.size() - 1)];
  if (letter && press.text == " " && overlay.marked) return toggle_mark(overlay, index, shown.size()), true;
  if (press.key == Key::enter) {
    if (const auto chosen = overlay.chosen) chosen(shell, index);
    return true;
  }
  act(shell, overlay, press.text, armed, index);
  return true;
}

}  // namespace

bool overlay_key(Shell& shell, const KeyPress& press) {
  Overlay& overlay = *shell.overlay;
  if (!overlay.find && overlay.key && overlay.key(shell, press)) return false;
  const auto shown = filtered(overlay);
  if (!overlay.opens.empty() && list_key(shell, press, shown)) return false;
  if (press.key == Key::escape && !overlay.find) return true;
  if (overlay.content) return pager_key(overlay, press, overlay.width);
  const bool ctrl = press.key == Key::character && press.ctrl;
  if (press.key == Key::up || (ctrl && press.text == "p"))
    overlay.selected -= overlay.selected > 0;
  else if (press.key == Key::down || (ctrl && press.text == "n"))
    overlay.selected += overlay.selected + 1 < shown.size();
  else if (press.key == Key::page_up)
    overlay.selected -= std::min(overlay.selected, overlay.page);
  else if (press.key == Key::page_down)
    overlay.selected += overlay.page;
  else if (ctrl && press.text == "c")
    return true;
  else if (press.key == Key::enter) {
    if (shown.empty()) return false;
    const std::size_t index = shown[std::min(overlay.selected, shown.size() - 1)];
    const auto chosen = std::move(overlay.chosen);
    shell.overlay.reset();
    if (chosen) chosen(shell, index);
    return false;
  } else {
    typed(overlay.filter, press);
  }
  return false;
}

}  // namespace tern
