#include "ui/text/todo_rows.h"

#include <algorithm>
#include <string_view>

#include "ui/text/text_safe.h"
#include "ui/text/width.h"

namespace tern {
namespace {

constexpr Style muted{.fg = Colour::muted};
constexpr std::string_view done = "☒ ", doing = "◐ ";

bool is_done(std::string_view todo) { return todo.starts_with(done); }

std::string text_of(std::string_view todo, int columns) {
  const std::size_t blank = std::min(todo.find(' ') + 1, todo.size());  // npos + 1 is 0
  return shorten(safe_text(todo.substr(blank), Lines::one), std::max(8, columns));
}

Row task_row(std::string_view todo, int width) {
  const std::string text = text_of(todo, width - 5);
  if (is_done(todo))
    return RowBuilder().add("   ✓ ", muted).add(text, Style{.fg = Colour::muted, .strike = true}).take();
  constexpr Style current{.fg = Colour::accent, .bold = true};
  if (todo.starts_with(doing)) return RowBuilder().add("   ▸ ", current).add(text, current).take();
  return RowBuilder().add("   ☐ ", muted).add(text).take();
}

}  // namespace

bool all_done(const std::vector<std::string>& todos) {
  return std::all_of(todos.begin(), todos.end(), is_done);
}

Rows todo_rows(const std::vector<std::string>& todos, int width, int most) {
  if (todos.empty()) return {};
  const auto finished = std::count_if(todos.begin(), todos.end(), is_done);
  auto current =
      std::find_if(todos.begin(), todos.end(), [](std::string_view todo) { return todo.starts_with(doing); });
  if (current == todos.end()) current = std::find_if_not(todos.begin(), todos.end(), is_done);
  const std::string progress = std::to_string(finished) + "/" + std::to_string(todos.size());
  RowBuilder title;
  title.add(" Tasks ", Style{.bold = true}).add(progress, muted);
  if (most < 4) {
    if (current != todos.end())
      title.add("  ▸ " + text_of(*current, width - title.columns() - 5), Style{.fg = Colour::accent});
    return {title.take()};
  }
  const auto room = static_cast<std::size_t>(most - 1);
  const auto at = static_cast<std::size_t>(current - todos.begin());
  const std::size_t shown = std::min(room, todos.size());
  const std::size_t first = std::min(at - std::min<std::size_t>(at, 1), todos.size() - shown);
  if (shown < todos.size()) title.add(" · " + std::to_string(todos.size() - shown) + " not shown", muted);
  Rows rows = {title.take()};
  for (std::size_t i = first; i < first + shown; ++i) rows.push_back(task_row(todos[i], width));
  return rows;
}

}  // namespace tern
