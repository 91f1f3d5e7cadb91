// The linear log: one line in, its answer out, nothing is ever drawn twice. The same shell and the same commands as on the
// full screen; what opens there is printed here, and a question is answered by the next line.
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <utility>

#include "compression/last_screen.h"
#include "ui/external_editor.h"
#include "ui/format.h"
#include "ui/modes.h"
#include "ui/progress.h"
#include "ui/rows.h"
#include "ui/shell.h"
#include "ui/status_bar.h"
#include "ui/text_safe.h"

namespace tern {
namespace {

constexpr int page_columns = 100;

std::int64_t steady_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Bars are read aloud letter by letter: they go, and lines of nothing else with them.
std::string without_bars(std::string text) {
  for (const std::string_view glyph : {"▕", "▏", "█", "▓", "▒", "░", "╎", "▆"})
    for (std::size_t at = text.find(glyph); at != text.npos; at = text.find(glyph, at)) text.erase(at, glyph.size());
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

bool is_number(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

// Standard input as lines, wakes from the worker, and signals: whichever comes first.
class Input {
 public:
  Input() : wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    sigset_t stopping, ours;
    sigemptyset(&stopping);
    for (const int signal : {SIGTSTP, SIGCONT, SIGWINCH}) sigaddset(&stopping, signal);
    pthread_sigmask(SIG_UNBLOCK, &stopping, nullptr);  // nothing here has to be put back before a stop
    sigemptyset(&ours);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&ours, signal);
    signals_ = signalfd(-1, &ours, SFD_NONBLOCK | SFD_CLOEXEC);
  }
  ~Input() {
    close(wake_);
    close(signals_);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  void wake() {
    const std::uint64_t one = 1;
    (void)!::write(wake_, &one, sizeof one);
  }
  // Blocks until there is something; the number of a signal, or 0.
  int wait(bool want_line) {
    pollfd fds[] = {{want_line && !ended_ ? STDIN_FILENO : -1, POLLIN, 0}, {wake_, POLLIN, 0}, {signals_, POLLIN, 0}};
    if (poll(fds, 3, -1) <= 0) return 0;
    std::uint64_t count = 0;
    if (fds[1].revents != 0) (void)!::read(wake_, &count, sizeof count);
    if (fds[0].revents != 0) read_more();
    signalfd_siginfo info{};
    return fds[2].revents != 0 && ::read(signals_, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
  }
  bool has_line() const { return !lines_.empty(); }
  bool ended() const { return ended_ && lines_.empty(); }
  std::string line() {
    std::string first = std::move(lines_.front());
    lines_.pop_front();
    return first;
  }

 private:
  void read_more() {
    std::array<char, 1 << 16> bytes;
    const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    rest_.append(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    ended_ = got <= 0;
    if (ended_ && !rest_.empty()) rest_ += '\n';
    for (std::size_t end = rest_.find('\n'); end != rest_.npos; end = rest_.find('\n')) {
      lines_.push_back(rest_.substr(0, end - (end > 0 && rest_[end - 1] == '\r' ? 1 : 0)));
      rest_.erase(0, end + 1);
    }
  }

  int wake_, signals_ = -1;
  bool ended_ = false;
  std::string rest_;
  std::deque<std::string> lines_;
};

class PlainLog {
 public:
  explicit PlainLog(UiDeps& deps) : deps_(deps), shell_(deps, [] {}), interactive_(isatty(STDIN_FILENO) != 0) {
    deps.on_wake([this] { input_.wake(); });
    shell_.view.meters.cwd = deps.cwd;
  }
  ~PlainLog() { deps_.on_wake({}); }
  PlainLog(const PlainLog&) = delete;
  PlainLog& operator=(const PlainLog&) = delete;

  void run() {
    for (const std::string& text : deps_.welcome) line("- " + safe_text(text, Lines::one));
    if (!deps_.first_prompt.empty()) take(deps_.first_prompt);
    while (!shell_.quitting && !ferror(stdout)) {
      shell_.now_ms = steady_ms();
      for (Event& event : deps_.events.drain()) show(std::move(event));
      if (shell_.quitting) break;
      const bool ready = listens();
      if (ready && input_.has_line()) {
        take(input_.line());
        continue;
      }
      if (ready && input_.ended()) {
        if (!question()) break;
        answer(Verdict::no, "");  // nobody is there any more
        continue;
      }
      const bool begun = !named_.empty() || question();  // who answers is said above the first prompt
      if (ready && interactive_ && begun && !std::exchange(prompted_, true)) put("> ");
      if (const int signal = input_.wait(!input_.has_line())) stopped_by(signal);
    }
  }

  // The answers to what was asked last come before the farewell.
  void last_words() {
    deps_.commands.push(Quit{});
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(3);
    while (auto event = deps_.events.wait_until(deadline)) {
      const bool last = std::holds_alternative<Goodbye>(*event);
      show(std::move(*event));
      if (last) break;
    }
  }

  void operator()(const Delta& delta) {
    if (delta.kind == DeltaKind::text) put(safe_text(delta.text));
  }
  void operator()(const ToolStarted& started) {
    line("* " + safe_text(started.label.empty() ? started.tool : started.label, Lines::one) + " " +
         safe_text(started.subject, Lines::one));
  }
  void operator()(const ToolFinished& done) {
    if (!turn_ && !done.text.empty()) line(safe_text(last_states(last_screen(done.text))));  // the person's own command
    line("  " + safe_text(done.note.empty() ? std::string(done.is_error ? "failed" : "done") : done.note, Lines::one));
  }
  void operator()(const PermissionAsked& asked) {
    line("Permission: " + safe_text(asked.title, Lines::one) + "\n" + safe_command(asked.diff.empty() ? asked.body : asked.diff) +
         "\nasks because: " + safe_text(asked.reason, Lines::one) + "\nanswer with 1 yes" +
         (asked.remember.empty() ? "" : ", 2 yes, always: " + safe_command(asked.remember)) +
         ", 3 no, or say what to do instead");
  }
  void operator()(const TrustAsked& asked) {
    line("Do you trust this folder? " + safe_text(asked.folder, Lines::one) +
         (asked.what.empty() ? "" : "\n" + safe_text(asked.what)) + "\nanswer with 1 yes, 3 no");
  }
  void operator()(const Notice& notice) { line("- " + safe_text(notice.text)); }
  void operator()(const Waiting& waiting) {
    if (!waiting.text.empty()) line("- " + safe_text(waiting.text));
  }
  void operator()(const Compaction& compaction) {
    if (compaction.phase == CompactionPhase::failed) return line("- " + safe_text(not_compacted(compaction)));
    const bool undone = compaction.phase == CompactionPhase::undone, redone = compaction.phase == CompactionPhase::redone;
    if (undone || redone)
      return line((undone ? "- compaction taken back: " : "- compaction done again: ") + short_count(compaction.before) + " to " +
                  short_count(compaction.after) + " tokens.");
    if (compaction.phase != CompactionPhase::completed) return;
    line("- compaction: " + short_count(compaction.before) + " to " + short_count(compaction.after) + " tokens. " +
         safe_text(compaction.audit));
  }
  void operator()(const SessionOpened& opened) {
    if (const auto model = model_line(shell_.view.meters); model != named_) line("- " + safe_text(named_ = model, Lines::one));
    if (opened.resumed) line("- going on with " + safe_text(opened.name.empty() ? opened.id : opened.name, Lines::one));
  }
  void operator()(const TurnEnded& ended) {
    if (ended.how == TurnEnded::How::interrupted) line("- interrupted");
    if (!ended.error.empty()) line("error: " + safe_text(ended.error));
    line("ready");
  }
  void operator()(const Goodbye& goodbye) { line(safe_text(goodbye.text)); }
  template <class Other>
  void operator()(const Other&) {}

 private:
  bool question() const { return shell_.view.permission || shell_.view.trust; }
  bool listens() const { return question() || (!shell_.view.working && !waiting_); }

  // Whether the line typed last has its answer with this: a compaction says more before it has ended, and meters of the turn
  // before may come while a preview is still written.
  bool answers(const Event& event) {
    if (settling_) {  // the meters of the preview itself may still be on their way
      settling_ = !std::holds_alternative<Notice>(event) && !std::holds_alternative<Compaction>(event);
      return false;
    }
    if (turn_) return std::holds_alternative<TurnEnded>(event);
    if (std::holds_alternative<SessionOpened>(event)) return false;
    const auto* compaction = std::get_if<Compaction>(&event);
    if (compaction) return preview_ && compaction->phase == CompactionPhase::failed;
    return !preview_ || std::holds_alternative<PreviewReady>(event) || std::holds_alternative<Notice>(event);
  }

  // Was said in another run.
  bool from_log(const Event& event) const {
    if (const auto* added = std::get_if<ItemAdded>(&event)) return added->replayed;
    if (const auto* started = std::get_if<ToolStarted>(&event)) return started->replayed;
    if (const auto* done = std::get_if<ToolFinished>(&event)) return done->replayed;
    return shell_.view.replaying && (std::holds_alternative<TurnEnded>(event) || std::holds_alternative<Compaction>(event));
  }

  void show(Event event) {
    if (answers(event)) waiting_ = false;
    const bool old = from_log(event);
    const bool leaving = std::holds_alternative<Goodbye>(event);
    if (!old) std::visit(*this, event);
    fold(shell_.view, std::move(event), shell_.now_ms);
    open_pages(shell_);
    print_opened();
    shown_cells_ = shell_.view.cells.size();
    shell_.quitting |= leaving;
  }

  // A page is printed whole; a list gets numbers and the next line chooses.
  void print_opened() {
    if (!shell_.composer.empty()) line("- to be sent again: " + safe_text(shell_.composer.take()));
    if (!shell_.overlay || std::exchange(opened_, true)) return;
    Overlay& overlay = *shell_.overlay;
    line(safe_text(overlay.title, Lines::one));
    if (overlay.content)
      for (const Row& row : overlay.content(page_columns))
        if (const std::string text = without_bars(row.text); !text.empty()) line(text);
    for (std::size_t i = 0; i < overlay.items.size(); ++i)
      line(std::to_string(i + 1) + ". " + safe_text(overlay.items[i], Lines::one));
    if (!overlay.items.empty())
      line("answer with a number; anything else closes the list");
    else if (overlay.key)
      line(safe_text(overlay.footer, Lines::one));
    else
      close_page();
  }

  void close_page() {
    shell_.overlay.reset();
    opened_ = false;
  }

  // True when the line was meant for what is open.
  bool to_page(const std::string& text) {
    if (!shell_.overlay) return false;
    Overlay overlay = std::move(*shell_.overlay);
    close_page();
    if (overlay.key) {
      KeyPress press;
      press.text = text.empty() ? "d" : text.substr(0, 1);
      shell_.overlay = overlay;
      if (!overlay.key(shell_, press)) line(safe_text(overlay.footer, Lines::one));
      opened_ = shell_.overlay.has_value();
      waiting_ = settling_ = !opened_;  // what it has sent is answered before the next line is read
      turn_ = preview_ = false;
      return true;
    }
    if (!is_number(text)) return false;
    const std::size_t number = std::strtoul(text.c_str(), nullptr, 10);
    if (number < 1 || number > overlay.items.size()) {
      line("there is no " + text + " in the list: answer with 1 to " + std::to_string(overlay.items.size()) +
           "; this was not sent, an empty line closes the list");
      shell_.overlay = std::move(overlay);
      opened_ = true;
      return true;
    }
    if (overlay.chosen) overlay.chosen(shell_, number - 1);
    return true;
  }

  void answer(Verdict verdict, std::string note) {
    const std::uint64_t id = shell_.view.permission ? shell_.view.permission->id : shell_.view.trust->id;
    shell_.view.permission.reset();
    shell_.view.trust.reset();
    shell_.send(Answer{id, verdict, std::move(note)});
  }

  void take(const std::string& text) {
    prompted_ = false;
    if (!interactive_) line("> " + safe_text(text));
    if (question() && !text.empty()) {
      const bool two = shell_.view.permission && !shell_.view.permission->remember.empty();
      if (text == "1" || text == "3" || (text == "2" && two))
        return answer(text == "1" ? Verdict::yes : text == "2" ? Verdict::yes_remember : Verdict::no, "");
      if (shell_.view.trust || is_number(text))
        return line("answer with 1 yes, " + std::string(two ? "2 yes and remember, " : "") + "3 no; this was not sent");
      return answer(Verdict::no, text);
    }
    if (to_page(text)) return after_keys();
    shell_.composer.set(text);
    turn_ = !text.starts_with("!") && !text.starts_with("/") && !text.starts_with("#");
    preview_ = text.starts_with("/") && text.find("--preview") != text.npos;
    waiting_ = text.find_first_not_of(" \t") != text.npos;
    shell_.submit(When::steer);
    after_keys();
  }

  // What the shell did at once instead of asking the worker.
  void after_keys() {
    const ViewState& view = shell_.view;
    const bool local = shell_.overlay || view.cells.size() > shown_cells_ || !shell_.hint.text.empty() ||
                       !shell_.to_clipboard.empty() || shell_.show_todos || shell_.edit_externally || shell_.edit_preview ||
                       shell_.quitting;
    if (local) waiting_ = false;
    for (; shown_cells_ < view.cells.size(); ++shown_cells_)
      if (const auto* notice = std::get_if<NoticeCell>(&view.cells[shown_cells_].body)) line("- " + safe_text(notice->text));
    if (std::exchange(shell_.show_todos, false)) {
      if (view.todos.empty()) line("- no todos");
      for (const std::string& todo : view.todos) line("  " + safe_text(todo, Lines::one));
    }
    if (!shell_.to_clipboard.empty()) line(safe_text(std::exchange(shell_.to_clipboard, {})));
    if (!shell_.hint.text.empty()) line("- " + safe_text(std::exchange(shell_.hint, {}).text));
    if (shell_.edit_externally || shell_.edit_preview) edit();
    print_opened();
  }

  void edit() {
    const bool preview = std::exchange(shell_.edit_preview, false) && shell_.view.preview;
    shell_.edit_externally = false;
    std::string error = "there is no terminal to edit on";
    const auto edited = interactive_ ? edit_in_editor(preview ? shell_.view.preview->draft : "", error) : std::nullopt;
    if (!edited) return line("- " + error);
    if (!preview) return take(*edited);
    shell_.view.preview->draft = *edited;
    line("- the draft is changed; a accepts it");
  }

  void stopped_by(int signal) {
    if (signal == SIGINT && shell_.view.working) return deps_.interrupt();
    shell_.quitting = true;
  }

  void put(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    at_line_start_ = text.empty() ? at_line_start_ : text.back() == '\n';
  }
  void line(const std::string& text) { put((at_line_start_ ? "" : "\n") + text + "\n"); }

  UiDeps& deps_;
  Input input_;
  Shell shell_;
  bool interactive_, prompted_ = false;
  std::string named_;  // the model, as it was said last
  bool at_line_start_ = true;
  bool turn_ = false, waiting_ = false;  // what was typed last starts a turn; its answer has not begun
  bool preview_ = false;                 // it asks for a compaction to look at
  bool settling_ = false;                // it took or discarded that
  bool opened_ = false;                  // what the shell opened has been printed
  std::size_t shown_cells_ = 0;
};

}  // namespace

int run_plain(UiDeps& deps) {
  PlainLog log(deps);
  log.run();
  log.last_words();
  return 0;
}

}  // namespace tern
