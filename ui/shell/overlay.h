// What opens over the transcript: a text to read, or a list to choose from. One value, drawn and keyed in one
// place.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ui/parts/selection.h"
#include "ui/terminal/frame.h"
#include "ui/terminal/input_parser.h"
#include "ui/text/style.h"

namespace tern {

struct Shell;

// A letter that acts on the selected item of a list. One that destroys is struck twice, with a moment
// between: whoever types a word with "dd" in it, or holds the key down, destroys nothing.
struct ListAction {
  std::string key, verb;
  std::function<void(Shell&, std::size_t)> run;
  bool twice = false;
  std::function<void(Shell&, std::vector<std::size_t>)> run_all =
      {};  // of a list with marks, in place of `run`
};

// Between the text of an item and its note, which is dim and at the right; left out where both do not fit.
constexpr char note_mark = '\t';

struct Overlay {
  std::string title;
  std::vector<KeyHint> keys;               // what it can do besides; in place of the usual ones
  std::function<Rows(int width)> content;  // a pager when set
  std::vector<std::string> items;          // a picker when not empty
  std::function<void(Shell&, std::size_t)>
      chosen;                      // Enter on items[i]; the overlay is already closed, unless `opens` is set
  std::string opens;               // what Enter does, "open": then letters act and `/` filters
  std::vector<std::string> about;  // of each item, shown below the list as far as the selected one needs it
  std::vector<ListAction> actions;
  std::function<void(Shell&, std::string)> search;  // Enter on a filter: inside what the items stand for
  std::optional<std::set<std::size_t>> marked;  // rows chosen together by space; none: a list without marks
  std::function<std::string(const std::set<std::size_t>&)> about_marked;  // behind the title
  std::string list;                                  // which list it is: one that comes again keeps its place
  std::shared_ptr<Overlay> below;                    // goes on when this one closes
  std::function<bool(Shell&, const KeyPress&)> key;  // own keys, asked first; true = taken
  std::function<bool(Shell&, std::string_view)> paste;  // a text pasted where `key` types; true = taken
  bool report = false;                                  // the context panel: asks anew when the meters moved
  std::uint64_t gauged = 0;                             // … which it has shown so far
  bool asked = false;                                   // … and its answer is on the way
  std::string filter;                                   // typed in a picker
  bool filtering = false;                               // with `opens`: it is being typed
  std::string armed;                                    // the action that waits for its second stroke
  std::int64_t armed_ms = 0;                            // … since when
  std::size_t selected = 0, top = 0;
  std::optional<std::string> find;  // query being typed after '/'
  std::string last_find;
  std::optional<std::size_t> hit;  // the line of the last search
  std::size_t hits = 0;            // lines that hold it
  std::size_t hit_number = 0;      // … and which of them this one is
  bool missed = false;             // … which found none
  std::string said;                // in place of the keys, for a while
  bool drawn = false;
  RowSelection selection;  // of the rows of `content`
  // of the last draw, for paging
  std::size_t page = 10, lines = 0;
  int width = 80;
};

// The items that pass the filter, as indices.
std::vector<std::size_t> filtered(const Overlay& overlay);
Rows overlay_rows(Overlay& overlay, int width, int height);
// True when the overlay wants to close.
bool overlay_key(Shell& shell, const KeyPress& press);
void close_overlay(Shell& shell);  // the one below goes on
// False when nothing is typed there, so that the text belongs elsewhere.
bool overlay_paste(Overlay& overlay, std::string_view text);
// `y` counts from the overlay's first row. Answers the text a drag has chosen, at its end.
std::string overlay_mouse(Overlay& overlay, const Mouse& event, int y);
// A key in a line that only grows and shrinks at its end: a query, a filter.
void typed(std::string& text, const KeyPress& press);

}  // namespace tern
