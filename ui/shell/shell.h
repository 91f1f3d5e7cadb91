// Everything the UI thread owns, in one struct that is passed around: the view, the editor, what is open
// above them. Units route through here; none of them keeps a pointer to another.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ui/parts/approval.h"
#include "ui/parts/composer.h"
#include "ui/parts/file_index.h"
#include "ui/parts/history.h"
#include "ui/parts/transcript.h"
#include "ui/parts/ui_deps.h"
#include "ui/parts/view.h"
#include "ui/shell/completion.h"
#include "ui/shell/overlay.h"
#include "ui/shell/picked_cells.h"
#include "ui/shell/slash_command.h"
#include "ui/terminal/clipboard_picture.h"
#include "ui/terminal/theme.h"

namespace tern {

struct Hint {  // a short word above the composer, gone after a while
  std::string text;
  std::int64_t until_ms = 0;
};

struct ComposerBox {  // where the prompt's text is drawn
  int left = 0, top = -1, rows = 0;
  int hidden = 0;  // columns of its first row that are not drawn
};

struct Shell {
  Shell(UiDeps& deps, CommandSet commands, std::function<void()> waker);

  UiDeps& deps;
  CommandSet slash;
  ViewState view;
  Transcript transcript;
  Composer composer;
  History history;
  FileIndex files;
  Completion completion;
  Approval approval;
  std::function<void()> wake;
  ClipboardPicture clipboard;
  std::optional<Overlay> overlay;
  Theme theme;
  ColourDepth depth = ColourDepth::ansi16;
  Background background = Background::unknown;

  bool transcript_view = false;  // Ctrl-O: everything unfolded, keys scroll and search
  bool show_todos = false;
  std::optional<PickedCells> picked;  // of the transcript view, to act on
  std::optional<std::string> find;    // the query being typed in the transcript view
  std::string last_find;
  std::optional<std::string> reverse;  // Ctrl-R: the query being typed
  std::size_t reverse_at = 0;
  bool reverse_missed = false;                            // no prompt holds it
  std::string reverse_draft;                              // what stood in the composer before
  PermissionMode mode_before_plan = PermissionMode::ask;  // the last one that was another
  Hint hint;
  std::int64_t now_ms = 0;  // set by the loop before anything else runs
  std::int64_t last_key_ms = -10'000, last_escape_ms = -10'000, last_ctrl_c_ms = -10'000,
               last_leave_ms = -10'000;
  bool quitting = false, repaint = false, recolour = false, suspend = false;
  bool edit_externally = false;     // the loop opens $EDITOR on the composer's text
  bool chord = false;               // Ctrl-X was struck: Ctrl-E or u follows
  bool edit_preview = false;        // … or on the draft summary
  bool edit_plan = false;           // … or on the plan in the dialog
  std::string to_clipboard;         // the loop hands it on
  bool desktop_clipboard = false;   // a program sets it; else nobody knows whether it arrives
  std::uint64_t asked_earlier = 0;  // the opening for which the part above was asked
  enum class Seek { none, begin, find } seek = Seek::none;  // what goes on when it has come
  int transcript_top = 0, transcript_height = 0;            // where the transcript was drawn, for the mouse
  ComposerBox composer_box;                                 // … and the prompt
  int overlay_top = 0;                                      // … and the overlay
  std::uint64_t sent = 0;                                   // commands; answers belong to what asked

  void send(Command command) {
    sent += !std::holds_alternative<Answer>(command);
    deps.commands.push(std::move(command));
  }
  void say(std::string text, std::int64_t for_ms = 3'000) { hint = {std::move(text), now_ms + for_ms}; }
  void notice(std::string text, Level level = Level::info);  // a line in the transcript
  void page(Page page);                                      // opens the pager
  void use_theme(std::string_view name);
  void submit(When when);  // what stands in the composer: prompt, command, shell line or note
  // A long session is replayed from its end: the part above comes when somebody goes or looks there.
  void ask_earlier(bool all);
  void earlier_came();
  void to_begin();
  void find_again(bool older);
  void attach(const std::string& path);  // a picture: its chip goes into the prompt
  void clipboard_came();
  void toggle_todos();
  void copy(std::string text);
  void leave();      // quits; with commands in the background only when asked twice
  void interrupt();  // Esc while working: stop, and give queued prompts back
};

}  // namespace tern
