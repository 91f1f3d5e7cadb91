#include "ui/overlay.h"

#include <algorithm>

#include "ui/file_index.h"
#include "ui/search.h"
#include "ui/shell.h"
#include "ui/text_safe.h"
#include "ui/width.h"

namespace tern {
namespace {

constexpr Style muted{.fg = Colour::muted};

Rows picker_rows(Overlay& overlay, int width) {
  Rows rows;
  const auto shown = filtered(overlay);
  overlay.selected = std::min(overlay.selected, shown.empty() ? 0 : shown.size() - 1);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const bool here = i == overlay.selected;
    RowBuilder row;
    row.add(here ? " ❯ " : "   ", Style{.fg = Colour::accent, .bold = true});
    row.add(shorten(safe_text(overlay.items[shown[i]], Lines::one), width - 4), here ? Style{.bold = true} : Style{});
    rows.push_back(row.take());
  }
  if (rows.empty()) rows.push_back(RowBuilder().add("   nothing matches", muted).take());
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
    if (i < overlay.top || i >= end) overlay.top = i - std::min(i, overlay.page / 3);
    return;
  }
  overlay.missed = true;
}

bool scroll_key(Overlay& overlay, const KeyPress& press) {
  const auto letter = press.key == Key::character && !press.ctrl ? press.text : std::string();
  const std::size_t last = overlay.lines > overlay.page ? overlay.lines - overlay.page : 0;
  const auto move = [&](long by) {
    overlay.top = static_cast<std::size_t>(std::clamp<long>(static_cast<long>(overlay.top) + by, 0, static_cast<long>(last)));
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
  for (const FuzzyHit& hit : fuzzy(overlay.items, overlay.filter, overlay.items.size())) shown.push_back(hit.index);
  return shown;
}

Rows overlay_rows(Overlay& overlay, int width, int height) {
  const bool picker = !overlay.content;
  Rows rows;
  rows.push_back(RowBuilder()
                     .add(shorten(" " + safe_text(overlay.title, Lines::one), width), Style{.fg = Colour::accent, .bold = true})
                     .add(overlay.filter.empty() ? "" : "  " + safe_text(overlay.filter, Lines::one), muted)
                     .take());
  rows.emplace_back();
  Rows body = picker ? picker_rows(overlay, width) : overlay.content(width - 2);
  overlay.page = static_cast<std::size_t>(std::max(1, height - 4));
  overlay.lines = body.size();
  overlay.width = width - 2;
  const std::size_t last = body.size() > overlay.page ? body.size() - overlay.page : 0;
  if (picker) {
    overlay.top = std::min(overlay.top, overlay.selected);
    if (overlay.selected >= overlay.top + overlay.page) overlay.top = overlay.selected + 1 - overlay.page;
  }
  overlay.top = std::min(overlay.top, last);
  for (std::size_t i = overlay.top; i < body.size() && i < overlay.top + overlay.page; ++i) {
    overlay.selection.paint(body[i], i);
    Row row = RowBuilder().add(picker ? "" : " ").take();
    for (Span& span : body[i].spans) span.begin += static_cast<std::uint32_t>(row.text.size());
    row.text += body[i].text;
    row.spans = body[i].spans;
    mark_hits(row, overlay.last_find, overlay.hit == i);
    rows.push_back(std::move(row));
  }
  while (rows.size() + 1 < static_cast<std::size_t>(height)) rows.emplace_back();
  std::string footer = overlay.find ? "/" + safe_text(*overlay.find, Lines::one) + "▏" : overlay.footer;
  if (!overlay.find && overlay.missed) footer = "not found: " + safe_text(overlay.last_find, Lines::one);
  if (!overlay.find && footer.empty())
    footer = picker ? width < 42 ? "↑↓ · enter · type to filter · esc" : "↑↓ choose · enter · type to filter · esc"
             : width < 60 ? "↑↓ space b · / n N · q closes"
                          : "↑↓ space b scroll · / search · n N · q or esc closes";
  if (!picker && last > 0 && !overlay.find) footer += " · " + std::to_string(100 * overlay.top / last) + " %";
  rows.push_back(RowBuilder().add(shorten(" " + footer, width), muted).take());
  return rows;
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
  constexpr int above = 2;  // its title and a blank row
  const int line = y - above, page = static_cast<int>(overlay.page);
  if (!overlay.content) {  // a list: the row that was clicked is the one Enter takes
    const auto row = overlay.top + static_cast<std::size_t>(std::max(0, line));
    if (event.what == What::press && line >= 0 && line < page && row < overlay.lines) overlay.selected = row;
    return {};
  }
  if (event.what == What::press && (line < 0 || line >= page)) return overlay.selection.clear(), std::string();
  if (event.what != What::press && !overlay.selection.dragging()) return {};
  const Rows rows = overlay.content(overlay.width);
  const std::size_t last = rows.size() > overlay.page ? rows.size() - overlay.page : 0;
  if (event.what == What::drag && line < 0) overlay.top -= overlay.top > 0;
  if (event.what == What::drag && line >= page) overlay.top = std::min(overlay.top + 1, last);
  const auto row = std::min(overlay.top + static_cast<std::size_t>(std::clamp(line, 0, std::max(0, page - 1))),
                            std::max<std::size_t>(rows.size(), 1) - 1);
  if (event.what == What::press) overlay.selection.press(rows, row, event.x - 1);
  if (event.what == What::drag) overlay.selection.drag(rows, row, event.x - 1);
  if (event.what != What::release) return {};
  std::string text = overlay.selection.text(rows);
  if (text.empty()) overlay.selection.clear();
  return text;
}

bool overlay_key(Shell& shell, const KeyPress& press) {
  Overlay& overlay = *shell.overlay;
  if (!overlay.find && overlay.key && overlay.key(shell, press)) return false;
  if (press.key == Key::escape && !overlay.find) return true;
  if (overlay.content) return pager_key(overlay, press, overlay.width);
  const auto shown = filtered(overlay);
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
