// What opens over the transcript: a text to read, or a list to choose from. One value, drawn and keyed in one place.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ui/input_parser.h"
#include "ui/selection.h"
#include "ui/style.h"

namespace tern {

struct Shell;

struct Overlay {
  std::string title, footer;
  std::function<Rows(int width)> content;            // a pager when set
  std::vector<std::string> items;                    // a picker when not empty
  std::function<void(Shell&, std::size_t)> chosen;   // Enter on items[i]; the overlay is already closed
  std::function<bool(Shell&, const KeyPress&)> key;  // own keys, asked first; true = taken
  bool report = false;                               // the context panel: asks anew when the meters moved
  std::uint64_t gauged = 0;                          // … which it has shown so far
  bool asked = false;                                // … and its answer is on the way
  std::string filter;                                // typed in a picker
  std::size_t selected = 0, top = 0;
  std::optional<std::string> find;  // query being typed after '/'
  std::string last_find;
  std::optional<std::size_t> hit;  // the line of the last search
  bool missed = false;             // … which found none
  RowSelection selection;          // of the rows of `content`
  // of the last draw, for paging
  std::size_t page = 10, lines = 0;
  int width = 80;
};

// The items that pass the filter, as indices.
std::vector<std::size_t> filtered(const Overlay& overlay);
Rows overlay_rows(Overlay& overlay, int width, int height);
// True when the overlay wants to close.
bool overlay_key(Shell& shell, const KeyPress& press);
// False when nothing is typed there, so that the text belongs elsewhere.
bool overlay_paste(Overlay& overlay, std::string_view text);
// `y` counts from the overlay's first row. Answers the text a drag has chosen, at its end.
std::string overlay_mouse(Overlay& overlay, const Mouse& event, int y);
// A key in a line that only grows and shrinks at its end: a query, a filter.
void typed(std::string& text, const KeyPress& press);

}  // namespace tern
