// The linear log: one line in, its answer out, nothing is ever drawn twice. The same shell and the same
// commands as on the full screen; what opens there is printed here, and a question is answered by the next
// line.
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <utility>

#include "compression/text/last_screen.h"
#include "compression/values/tool_kinds.h"
#include "ui/commands/builtin_commands.h"
#include "ui/fronts/modes.h"
#include "ui/fronts/plain_words.h"
#include "ui/parts/rows.h"
#include "ui/parts/spoken_answer.h"
#include "ui/parts/status_bar.h"
#include "ui/shell/shell.h"
#include "ui/terminal/external_editor.h"
#include "ui/terminal/line_input.h"
#include "ui/text/format.h"
#include "ui/text/progress.h"
#include "ui/text/text_safe.h"

namespace tern {
namespace {

constexpr int most_columns = 100;
constexpr std::string_view how_to_answer = "answer with a number or a letter";

std::int64_t steady_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int page_columns() {
  winsize size{};
  const bool terminal = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20;
  return terminal ? std::min<int>(size.ws_col - 1, most_columns) : most_columns;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

class PlainLog {
 public:
  explicit PlainLog(UiDeps& deps)
      : deps_(deps), shell_(deps, builtin_commands(), [] {}), interactive_(isatty(STDIN_FILENO) != 0) {
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
    started_.insert(started.call_id);
    line("* " + safe_text(started.label.empty() ? started.tool : started.label, Lines::one) + " " +
         safe_text(from_here(started.subject, started.tool), Lines::one));
  }
  void operator()(const ToolFinished& done) {
    const bool named = started_.erase(done.call_id) > 0 || std::exchange(asked_, false);
    if (turn_ && !named)  // refused before it began
      (*this)(ToolStarted{done.call_id, done.tool, done.label, done.subject, {}});
    if (!turn_ && !done.text.empty())
      line(safe_text(last_states(last_screen(done.text))));  // the person's own command
    line("  " + safe_text(outcome(done), Lines::one));
  }
  void operator()(const PermissionAsked& asked) {
    asked_ = true;
    line("Permission: " + safe_text(from_here(asked.title, asked.tool), Lines::one) + "\n" +
         safe_command(asked.diff.empty() ? asked.body : asked.diff) + "\n" +
         safe_text(asked.reason, Lines::one));
    list_choices(permission_choices(asked, std::nullopt));
    line(std::string(how_to_answer) + "; any other text rejects it and says why");
  }
  void operator()(const TrustAsked& asked) {
    line("Do you trust this folder? " + safe_text(asked.folder, Lines::one) +
         (asked.what.empty() ? "" : "\n" + safe_text(asked.what)));
    list_choices(trust_choices());
    line(std::string(how_to_answer));
  }
  void operator()(const QuestionAsked& asked) {
    const bool plan = asked.kind == QuestionAsked::Kind::plan;
    line((plan ? "Plan:\n" : "Question: ") + safe_text(asked.text));
    list_choices(choices_of(asked));
    line(plan ? std::string(how_to_answer) + "; other words say what should be different"
              : "answer with a number or in your own words; an empty line closes the question");
  }
  void operator()(const Notice& notice) { line("- " + safe_text(notice.text)); }
  void operator()(const Waiting& waiting) {
    const auto retry = retry_text(waiting, waiting.until_ms);
    if (!waiting.text.empty()) line("- " + safe_text(waiting.text) + (retry.empty() ? "" : " · " + retry));
  }
  void operator()(const Compaction& compaction) {
    if (compaction.phase == CompactionPhase::failed) return line("- " + safe_text(not_compacted(compaction)));
    if (by_hand(compaction.cause) && compaction.phase == CompactionPhase::completed)
      return line("- " + std::string(to_string(compaction.cause)) + ": " + short_count(compaction.before) +
                  " to " + short_count(compaction.after) + " tokens.");
    const bool undone = compaction.phase == CompactionPhase::undone,
               redone = compaction.phase == CompactionPhase::redone;
    if (undone || redone)
      return line((undone ? "- compaction undone: " : "- compaction redone: ") +
                  short_count(compaction.before) + " to " + short_count(compaction.after) + " tokens.");
    if (compaction.phase != CompactionPhase::completed) return;
    line("- compaction: " + short_count(compaction.before) + " to " + short_count(compaction.after) +
         " tokens. " + safe_text(compaction.audit));
  }
  void operator()(const SessionOpened& opened) {
    if (const auto model = model_line(shell_.view.meters); model != named_)
      line("- " + safe_text(named_ = model, Lines::one));
    if (opened.resumed)
      line("- continuing " + safe_text(opened.name.empty() ? opened.id : opened.name, Lines::one));
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
  bool question() const { return shell_.view.permission || shell_.view.trust || shell_.view.question; }
  // What was typed last has its answer: everything it said came before its end.
  bool listens() const { return question() || done_ >= shell_.sent; }

  // A path inside the working folder is told from there; a command is told as it is.
  std::string from_here(std::string text, std::string_view tool) const {
    const std::size_t at = runs_commands(tool) ? text.npos : text.find(deps_.cwd + "/");
    if (at == 0 || (at != text.npos && text[at - 1] == ' ')) text.erase(at, deps_.cwd.size() + 1);
    return text;
  }

  // Was said in another run.
  bool from_log(const Event& event) const {
    if (const auto* added = std::get_if<ItemAdded>(&event)) return added->replayed;
    if (const auto* started = std::get_if<ToolStarted>(&event)) return started->replayed;
    if (const auto* done = std::get_if<ToolFinished>(&event)) return done->replayed;
    return shell_.view.replaying &&
           (std::holds_alternative<TurnEnded>(event) || std::holds_alternative<Compaction>(event));
  }

  void show(Event event) {
    done_ += std::holds_alternative<CommandDone>(event);
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
      for (const Row& row : overlay.content(page_columns()))
        if (const std::string text = without_bars(row.text); !text.empty()) line(text);
    for (std::size_t i = 0; i < overlay.items.size(); ++i) {
      const std::string number = std::to_string(i + 1);
      line(number + ". " + safe_text(spoken_item(overlay.items[i], number), Lines::one));
    }
    if (!overlay.items.empty())
      line("answer with a number; anything else closes the list");
    else if (overlay.key)
      line(key_hints(overlay.keys, 200).text);
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
    if (overlay.key && overlay.items.empty()) {
      KeyPress press;
      press.text = text.empty() ? "d" : text.substr(0, 1);
      shell_.overlay = overlay;
      if (!overlay.key(shell_, press)) line(key_hints(overlay.keys, 200).text);
      opened_ = shell_.overlay.has_value();
      turn_ = false;
      return true;
    }
    if (!is_number(text)) return letter_of(std::move(overlay), text);
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

  // A list may have letters of its own. False: the line is meant for the model.
  bool letter_of(Overlay overlay, const std::string& text) {
    if (!overlay.key || text.size() != 1) return false;
    KeyPress press;
    press.text = text;
    const auto key = overlay.key;
    shell_.overlay = std::move(overlay);
    const bool taken = key(shell_, press);
    if (!taken) shell_.overlay.reset();
    opened_ = taken && shell_.overlay.has_value();
    return taken;
  }

  void list_choices(const DialogChoices& choices) {
    for (std::size_t i = 0; i < choices.size(); ++i)
      line(std::to_string(i + 1) + ". " + choices[i].text +
           (choices[i].letter.empty() ? "" : " (" + choices[i].letter + ")") +
           (choices[i].help.empty() ? "" : ": " + choices[i].help));
  }

  // Without those that need a screen, or a word that is typed anyway.
  static DialogChoices choices_of(const QuestionAsked& asked) {
    DialogChoices choices = asked.kind == QuestionAsked::Kind::plan
                                ? plan_choices()
                                : question_choices(asked.options, asked.own_words);
    std::erase_if(choices, [](const DialogChoice& choice) {
      return choice.does == DialogChoice::Does::edit ||
             (choice.does == DialogChoice::Does::write && choice.verdict != Verdict::no);
    });
    return choices;
  }

  void answer(Verdict verdict, std::string note, std::size_t choice = 0) {
    const ViewState& view = shell_.view;
    const std::uint64_t id = view.permission ? view.permission->id
                             : view.trust    ? view.trust->id
                                             : view.question->id;
    drop_question(shell_.view, shell_.now_ms);
    shell_.send(Answer{id, verdict, std::move(note), choice});
  }

  void answer_question(const std::string& text) {
    const ViewState& view = shell_.view;
    const DialogChoices choices = view.permission ? permission_choices(*view.permission, std::nullopt)
                                  : view.question ? choices_of(*view.question)
                                                  : trust_choices();
    if (const auto chosen = choice_of(text, choices))
      return answer(choices[*chosen].verdict, "", choices[*chosen].picked);
    const bool words = view.question && view.question->kind == QuestionAsked::Kind::question &&
                       (view.question->own_words || text.empty());
    if (words)
      return text.empty() ? answer(Verdict::no, "")
                          : answer(Verdict::yes, text, view.question->options.size());
    if (view.trust || is_unclear(text)) return line(std::string(how_to_answer) + "; this was not sent");
    answer(Verdict::no, text);
  }

  void take(const std::string& text) {
    prompted_ = false;
    if (!interactive_) line("> " + safe_text(text));
    if (question() && (shell_.view.question || !text.empty())) return answer_question(text);
    if (to_page(text)) return after_keys();
    shell_.composer.set(text);
    turn_ = !text.starts_with("!") && !text.starts_with("/") && !text.starts_with("#");
    shell_.submit(When::steer);
    after_keys();
  }

  // What the shell did at once instead of asking the worker.
  void after_keys() {
    const ViewState& view = shell_.view;
    for (; shown_cells_ < view.cells.size(); ++shown_cells_)
      if (const auto* notice = std::get_if<NoticeCell>(&view.cells[shown_cells_].body))
        line("- " + safe_text(notice->text));
    if (std::exchange(shell_.show_todos, false)) {
      if (view.todos.empty()) line("- no tasks yet");
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
    const auto edited =
        interactive_ ? edit_in_editor(preview ? shell_.view.preview->draft : "", error) : std::nullopt;
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
  LineInput input_;
  Shell shell_;
  bool interactive_, prompted_ = false;
  std::string named_;  // the model, as it was said last
  bool at_line_start_ = true;
  std::set<std::string> started_;  // calls that were named and go on
  bool asked_ = false;             // the question has named the call
  bool turn_ = false;              // what was typed last starts one
  std::uint64_t done_ = 0;         // commands
  bool opened_ = false;            // what the shell opened has been printed
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
