// The loop of the interactive front end: wait, read, fold, draw at most once per slot. Nothing here knows
// what a key means.
#include "ui/fronts/ui.h"

#include <time.h>

#include <algorithm>
#include <cstdlib>

#include "ui/commands/builtin_commands.h"
#include "ui/fronts/announcer.h"
#include "ui/fronts/inline_region.h"
#include "ui/fronts/modes.h"
#include "ui/fronts/screen.h"
#include "ui/parts/context_panel.h"
#include "ui/parts/kept_draft.h"
#include "ui/shell/keys.h"
#include "ui/shell/shell.h"
#include "ui/terminal/clipboard.h"
#include "ui/terminal/external_editor.h"
#include "ui/terminal/frame_pace.h"
#include "ui/terminal/line_pace.h"
#include "ui/terminal/painter.h"
#include "ui/terminal/paste_guard.h"
#include "ui/terminal/terminal.h"
#include "ui/text/links.h"
#include "ui/text/text_safe.h"
#include "ui/text/width.h"

namespace tern {
namespace {

constexpr std::int64_t resize_quiet_ms = 40, spinner_ms = 250, slow_spinner_ms = 1'000, escape_ms = 30,
                       paste_ms = 1'000, longest_hold_ms = 1'500, reply_ms = 1'000, away_ms = 20'000;

std::int64_t steady_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000 + now.tv_nsec / 1'000'000;
}

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// "…]11;rgb:ffff/ffff/ffff" → light or dark.
Background background_of(std::string_view reply) {
  const std::size_t at = reply.find("rgb:");
  if (reply.find("]11;") == reply.npos || at == reply.npos) return Background::unknown;
  int channels[3] = {};
  std::size_t i = at + 4;
  for (int& channel : channels) {
    channel = static_cast<int>(std::strtol(std::string(reply.substr(i, 2)).c_str(), nullptr, 16));
    i = reply.find('/', i);
    if (i == reply.npos) break;
    ++i;
  }
  const double light = (0.299 * channels[0] + 0.587 * channels[1] + 0.114 * channels[2]) / 255.0;
  return light > 0.5 ? Background::light : Background::dark;
}

// The answer to XTVERSION. All terminals that give one break their lines anew when they get narrower, but
// xterm does not.
constexpr std::string_view name_reply = "\x1bP>|", xterm_reply = "\x1bP>|XTerm";

class Loop {
 public:
  explicit Loop(UiDeps& deps)
      : deps_(deps),
        inline_(deps.screen == ScreenKind::inline_region),
        terminal_(!inline_, !inline_ && environment("TERN_NO_MOUSE").empty()),
        shell_(deps, builtin_commands(), [this] { terminal_.wake(); }),
        draft_(deps.state_dir),
        traits_(terminal_traits(environment, deps.wishes)),
        announcer_(traits_, deps.bell, deps.cwd) {
    terminal_.announces(traits_.title, traits_.progress);
    allow_links(traits_.links);
    draft_.restore(shell_.composer);
    deps.on_wake([this] { terminal_.wake(); });
    shell_.view.meters.cwd = deps.cwd;
    shell_.depth = detect_depth(environment("NO_COLOR"), environment("COLORTERM"), environment("TERM"));
    shell_.theme = make_theme(deps.theme, shell_.depth, Background::unknown);
    region_.set_reflows(reflows_by_name(environment));
    shell_.desktop_clipboard = !clipboard_program(environment).empty();
  }

  ~Loop() {
    deps_.on_wake({});
    draft_.flush(shell_.composer);
  }

  // What the worker said when it left by itself.
  std::optional<std::string> run() {
    shell_.now_ms = steady_ms();
    if (!deps_.first_prompt.empty()) {
      const std::string draft = shell_.composer.saved();
      shell_.composer.set(deps_.first_prompt);
      shell_.submit(When::steer);
      shell_.composer.restore(draft);
    }
    while (!shell_.quitting) {
      take_events();
      if (shell_.view.goodbye) break;
      serve();
      draw_if_due();
      // With a frame due in a moment, what arrives until then is folded into it in one go.
      const std::int64_t before_ms = steady_ms();
      const Woken woken = terminal_.wait(timeout(), !shell_.view.dirty || held());
      shell_.now_ms = steady_ms();
      waited_ms_ += shell_.now_ms - before_ms;
      if (woken.input) read_input();
      if (woken.quit || woken.hangup || terminal_.hung_up()) break;
      if (woken.child_stop) shell_.suspend = true;
      if (woken.resized) {
        draw_after_ms_ = shell_.now_ms + resize_quiet_ms;
        shell_.view.dirty = true;
      }
      late_keys();
    }
    return std::move(shell_.view.goodbye);
  }

  // The end of the talk stays readable on the normal screen; inline it stands there already.
  void last_words() {
    for (const Input& input : await_replies()) take_late(input);
    leave_region();
    if (inline_ || terminal_.hung_up()) return terminal_.leave();
    const TerminalSize size = terminal_.size();
    shell_.transcript.to_end();
    shell_.transcript.sync(shell_.view, RowOptions{.width = size.columns - 1}, std::max(4, size.lines - 4));
    const std::string tail = ansi_lines(shell_.transcript.visible(), shell_.theme, size.columns);
    terminal_.leave();
    if (!tail.empty()) terminal_.write(tail + "\r\n");
  }

 private:
  // Not before there is something to look at: who leaves at once would find the answers on the command line
  // of the shell.
  void ask_terminal() {
    const bool open = shell_.view.openings > 0 || shell_.view.trust;
    if (asked_ms_ >= 0 || !open || shell_.view.goodbye) return;
    terminal_.watch_focus();  // before the question: its answer follows what the terminal says of its window
    asked_ms_ = shell_.now_ms;
    write_paced({});
    if (shell_.depth < ColourDepth::palette256) return;
    unanswered_ = inline_ ? 2 : 1;
    terminal_.write(inline_ ? "\x1b]11;?\x1b\\\x1b[>q" : "\x1b]11;?\x1b\\");  // its background; its name
  }

  // An answer that is still on its way belongs to us. A terminal that gives none is not waited for again and
  // again. Returns the keys that came in between.
  std::vector<Input> await_replies() {
    std::vector<Input> typed;
    while (!terminal_.hung_up()) {
      const std::int64_t until_ms =
          std::max(unanswered_ > 0 ? asked_ms_ + reply_ms : 0, pace_.answer_until_ms());
      const std::int64_t left_ms = until_ms - steady_ms();
      if (left_ms <= 0 || !terminal_.wait(static_cast<int>(left_ms), false).input) break;
      for (Input& input : parser_.feed(terminal_.read())) {
        if (const auto* reply = std::get_if<Reply>(&input))
          count_reply(reply->text);
        else
          typed.push_back(std::move(input));
      }
    }
    return typed;
  }

  // Where the terminal says nothing of its window, whoever has not touched a key for a while looks elsewhere.
  bool watched() const { return in_front_.value_or(shell_.now_ms - key_ms_ < away_ms); }

  void count_reply(std::string_view reply) {
    if (reply == status_answer) pace_.answered(steady_ms());
    if (reply.find("]11;") != reply.npos || reply.starts_with(name_reply)) --unanswered_;
  }

  void write_paced(std::string bytes) {
    if (asked_ms_ < 0)
      pace_.sent(bytes.size());
    else if (pace_.asks(bytes.size(), steady_ms()))
      bytes += status_question;
    if (!bytes.empty()) terminal_.write(bytes);
  }

  void take_events() {
    ViewState& view = shell_.view;
    for (Event& event : deps_.events.drain()) fold(view, std::move(event), shell_.now_ms);
    ask_terminal();
    if (view.dirty) announce();
    open_pages(shell_);
    shell_.clipboard_came();
    if (shell_.files.changed()) {  // names for an `@` that waits for them
      shell_.completion.update(shell_);
      shell_.view.dirty = true;
    }
  }

  void announce() {
    announcer_.set_bell(deps_.bell);
    if (const std::string bytes = announcer_.follow(shell_.view, watched()); !bytes.empty())
      terminal_.write(bytes);
  }

  void read_input() {
    last_input_ms_ = shell_.now_ms;
    const std::string bytes = terminal_.read();
    for (const Input& input : guard_.sort(parser_.feed(bytes), bytes, waited_ms_))
      shell_.quitting ? take_late(input) : take(input);
  }

  void late_keys() {
    if (!parser_.pending()) return;
    if (shell_.now_ms - last_input_ms_ < (parser_.pasting() ? paste_ms : escape_ms)) return;
    if (parser_.pasting()) guard_.stalled();
    for (const Input& input : parser_.timeout())
      if (!guard_.in_burst() || std::holds_alternative<Paste>(input)) take(input);
  }

  void take(const Input& input) {
    if (const auto* reply = std::get_if<Reply>(&input)) {
      count_reply(reply->text);
      if (reply->text.starts_with(name_reply)) region_.set_reflows(!reply->text.starts_with(xterm_reply));
      if (reply->text == "\x1b[I" || reply->text == "\x1b[O") in_front_ = reply->text.back() == 'I';
      const Background found = background_of(reply->text);
      if (found == Background::unknown) return;
      shell_.background = found;
      shell_.use_theme(deps_.theme);
      shell_.view.dirty = true;
      return;
    }
    key_ms_ = shell_.now_ms;
    handle_input(shell_, input);
  }

  // Typed when the session had ended: into the draft that the next one begins with, and nothing runs.
  void take_late(const Input& input) {
    if (const auto* paste = std::get_if<Paste>(&input)) shell_.composer.paste(paste->text, paste->more);
    const auto* press = std::get_if<KeyPress>(&input);
    if (press && press->key == Key::character && !press->ctrl && !press->alt) shell_.composer.key(*press);
  }

  // What the keys asked for and only the owner of the terminal can do.
  void serve() {
    if (std::exchange(shell_.suspend, false)) {
      const std::vector<Input> typed = await_replies();
      leave_region();
      announcer_.forget();
      if (!terminal_.suspend())
        shell_.say("can't suspend: tern wasn't started from a shell with job control");
      painter_.forget();
      shell_.view.dirty = true;
      for (const Input& input : typed) take(input);
    }
    if (shell_.edit_externally || shell_.edit_preview || shell_.edit_plan) edit();
    if (!shell_.to_clipboard.empty()) {
      std::string text = std::exchange(shell_.to_clipboard, {});
      terminal_.write(copy_sequence(text, !environment("TMUX").empty()));
      if (shell_.desktop_clipboard) clipboard_.write(clipboard_program(environment), std::move(text));
    }
    draft_due_ms_ = draft_.keep(shell_.composer, shell_.now_ms);
    const bool repaint = std::exchange(shell_.repaint, false);
    if (repaint) painter_.forget();
    if (std::exchange(shell_.recolour, false) || repaint) {
      canvas_.forget();
      shell_.view.dirty = true;
    }
    if (!shell_.hint.text.empty() && shell_.hint.until_ms <= shell_.now_ms) {
      shell_.hint = {};
      shell_.view.dirty = true;
    }
  }

  void edit() {
    const bool preview = std::exchange(shell_.edit_preview, false) && shell_.view.preview;
    const bool plan = std::exchange(shell_.edit_plan, false) && shell_.approval.is_open();
    shell_.edit_externally = false;
    const std::string before = plan      ? shell_.approval.text()
                               : preview ? shell_.view.preview->draft
                                         : shell_.composer.text();
    await_replies();
    leave_region();
    terminal_.leave();
    std::string error;
    const auto edited = edit_in_editor(before, error);
    terminal_.enter();
    announcer_.forget();
    painter_.forget();
    shell_.view.dirty = true;
    if (!edited) return shell_.say(error);
    if (plan)
      shell_.approval.set_text(*edited);
    else if (preview)
      shell_.view.preview->draft = *edited;
    else
      shell_.composer.set(*edited);
    open_pages(shell_);
  }

  void leave_region() {
    if (inline_ && !terminal_.hung_up()) terminal_.write(region_.leave());
  }

  bool animated() const {
    const ViewState& view = shell_.view;
    return (view.working && view.asked_ms < 0) || view.waiting.until_ms > shell_.now_ms;
  }

  void draw_if_due() {
    if (animated() && shell_.now_ms - drawn_ms_ >= turn_of_spinner_ms()) shell_.view.dirty = true;
    const std::int64_t stale_ms = stale_at_ms(shell_, drawn_ms_);
    if (stale_ms >= 0 && stale_ms <= shell_.now_ms) shell_.view.dirty = true;
    if (!shell_.view.dirty || held() || shell_.now_ms < due_ms()) return;
    const std::string bytes = paint();
    if (!bytes.empty()) write_paced(bytes);
    shell_.view.dirty = false;
    drawn_ms_ = shell_.now_ms;
  }

  // A log that is replayed is shown when it is whole, or when that takes too long.
  bool held() const {
    return shell_.view.replaying && shell_.now_ms - shell_.view.replay_ms < longest_hold_ms;
  }

  std::string paint() {
    if (inline_) return region_.frame(shell_, terminal_.size());
    const Caret caret = draw(shell_, terminal_.size(), canvas_);
    std::string bytes = painter_.paint(canvas_.screen(), caret, canvas_.changed());
    canvas_.painted();
    return bytes;
  }

  std::int64_t turn_of_spinner_ms() const { return pace_.slow() ? slow_spinner_ms : spinner_ms; }

  std::int64_t due_ms() {
    const bool for_key = key_ms_ >= drawn_ms_;
    FrameFor what = shell_.view.working ? FrameFor::stream : FrameFor::other;
    if (for_key) what = FrameFor::key;
    return std::max({next_frame_ms(drawn_ms_, what), draw_after_ms_, pace_.open_ms(for_key, shell_.now_ms)});
  }

  int timeout() {
    std::int64_t until = -1;
    const auto at = [&](std::int64_t ms) { until = until < 0 ? ms : std::min(until, ms); };
    if (shell_.view.dirty) at(held() ? shell_.view.replay_ms + longest_hold_ms : due_ms());
    if (animated()) at(drawn_ms_ + turn_of_spinner_ms());
    if (parser_.pending()) at(last_input_ms_ + (parser_.pasting() ? paste_ms : escape_ms));
    if (!shell_.hint.text.empty()) at(shell_.hint.until_ms);
    if (draft_due_ms_ > 0) at(draft_due_ms_);
    if (const std::int64_t stale_ms = stale_at_ms(shell_, drawn_ms_); stale_ms >= 0) at(stale_ms);
    if (until < 0) return -1;
    return static_cast<int>(std::clamp<std::int64_t>(until - steady_ms(), 0, 60'000));
  }

  UiDeps& deps_;
  bool inline_;
  Terminal terminal_;
  Shell shell_;
  Canvas canvas_;
  Painter painter_;
  InlineRegion region_;
  InputParser parser_;
  ClipboardWriter clipboard_;
  std::optional<bool> in_front_;  // what the terminal has said; many say nothing
  PasteGuard guard_;
  std::int64_t waited_ms_ = 0;  // for bytes and events: while we work the terminal is not silent, but unheard
  KeptDraft draft_;
  std::int64_t draft_due_ms_ = 0;
  TerminalTraits traits_;
  Announcer announcer_;
  std::int64_t asked_ms_ = -1;  // when the terminal was asked about itself
  int unanswered_ = 0;
  LinePace pace_;
  std::int64_t drawn_ms_ = -stream_slot_ms, last_input_ms_ = -1, key_ms_ = -1, draw_after_ms_ = 0;
};

}  // namespace

int run_ui(UiDeps& deps) {
  set_ambiguous_width(deps.ambiguous_width);
  if (deps.screen == ScreenKind::plain) return run_plain(deps);
  install_crash_restore();
  std::optional<std::string> left;
  {
    Loop loop(deps);
    left = loop.run();
    loop.last_words();
  }
  if (!left) return say_goodbye(deps);
  std::puts(safe_text(*left).c_str());
  return 0;
}

}  // namespace tern
