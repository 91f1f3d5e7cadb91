#include "ui/fronts/plain_words.h"

#include <algorithm>

#include "ui/shell/overlay.h"

namespace tern {

// Bars are read aloud letter by letter: they go, and lines of nothing else with them.
std::string without_bars(std::string text) {
  for (const std::string_view glyph : {"▕", "▏", "█", "▓", "▒", "░", "╎", "▆"})
    for (std::size_t at = text.find(glyph); at != text.npos; at = text.find(glyph, at))
      text.erase(at, glyph.size());
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string outcome(const ToolFinished& done) {
  constexpr std::size_t most_reason = 200;
  if (!done.note.empty()) return done.note;
  if (!done.is_error) return "done";
  const std::string why = done.text.substr(0, std::min(done.text.find('\n'), most_reason));
  return why.empty() ? "failed" : "failed: " + why;
}

// An item as a sentence: no columns, and no sign in front for the one in use.
std::string spoken_item(std::string item, const std::string& number) {
  if (item.starts_with(number + "  ")) item.erase(0, number.size());  // it has it already
  if (const std::size_t mark = item.find(note_mark); mark != item.npos) item.replace(mark, 1, "  ");
  constexpr std::string_view in_use = "● ";
  const bool current = item.starts_with(in_use);
  if (current) item.erase(0, in_use.size());
  item.erase(0, std::min(item.find_first_not_of(' '), item.size()));
  item.erase(item.find_last_not_of(' ') + 1);
  for (std::size_t at = item.find("  "); at != item.npos; at = item.find("  ", at)) {
    const std::size_t end = item.find_first_not_of(' ', at);
    item.replace(at, end - at, " · ");
  }
  return current ? item + " · in use" : item;
}

}  // namespace tern
