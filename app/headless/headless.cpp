#include "app/headless/headless.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "agent/models/json_schema.h"
#include "agent/turn/turn.h"
#include "app/headless/headless_json.h"
#include "app/session/console.h"

namespace tern {
namespace {

using Format = HeadlessOptions::Format;

// Ctrl-C and TERM stop the turn, so that every call is answered and everything is stored; the second one ends
// at once.
class SignalWatch {
 public:
  explicit SignalWatch(Session& session) {
    ::sigemptyset(&set_);
    for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR2}) ::sigaddset(&set_, signal);
    ::pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    thread_ = std::thread([this, &session] {
      for (int signal = 0; ::sigwait(&set_, &signal) == 0 && signal != SIGUSR2;) {
        if (seen_.exchange(signal)) ::_exit(128 + signal);
        session.interrupt();
      }
    });
  }
  ~SignalWatch() {
    ::pthread_kill(thread_.native_handle(), SIGUSR2);
    thread_.join();
  }
  int seen() const { return seen_; }

 private:
  sigset_t set_{};
  std::atomic<int> seen_{0};
  std::thread thread_;
};

void say(const std::string& line) {
  print(stdout, line + "\n");
  std::fflush(stdout);  // whoever reads a stream reads it as it comes
}

constexpr int refused = 6;  // exit code: a call needed a yes, and nobody could be asked

// "2 calls were refused. To allow them: --allowed-tools \"Bash,Write\", or another --permission-mode". Where
// bypass mode refused, neither would help.
std::string refusals(const std::vector<Denial>& denials, PermissionMode mode) {
  std::vector<std::string> tools;
  std::int64_t n = 0;
  for (const auto& denial : denials) {
    if (denial.by_hook) continue;
    ++n;
    if (std::find(tools.begin(), tools.end(), denial.tool) == tools.end()) tools.push_back(denial.tool);
  }
  const auto hooked = static_cast<std::int64_t>(denials.size()) - n;
  if (n == 0) return counted(hooked, "call was", "calls were") + " refused by hooks";
  if (mode == PermissionMode::bypass) {
    const auto own = [](const Denial& denial) { return !denial.by_hook; };
    return counted(n, "call was", "calls were") +
           " refused in bypass mode, too: " + std::find_if(denials.begin(), denials.end(), own)->reason;
  }
  std::string list;
  for (const auto& tool : tools) list += (list.empty() ? "" : ",") + tool;
  return counted(n, "call") + (n == 1 ? " was" : " were") + " refused" +
         (hooked == 0 ? "" : ", " + std::to_string(hooked) + " more by hooks") + ". To allow " +
         (n == 1 ? "it" : "them") + ": --allowed-tools \"" + list + "\", or another --permission-mode";
}

// For a person who watches: what happens, on standard error.
class Progress {
 public:
  explicit Progress(bool on) : on_(on) {}
  void operator()(const Event& event) {
    if (const auto* notice = std::get_if<Notice>(&event); notice && (on_ || notice->level != Level::info))
      tell(notice->text);
    if (!on_) return;
    if (const auto* cell = std::get_if<ToolFinished>(&event))
      tell("● " + (cell->label.empty() ? cell->tool : cell->label) + "  " + cell->subject +
           (cell->note.empty() ? "" : " · " + cell->note));
    if (const auto* waiting = std::get_if<Waiting>(&event); waiting && !waiting->text.empty()) {
      const auto retry = retry_text(*waiting, waiting->until_ms);
      tell(waiting->text + (retry.empty() ? "" : " · " + retry));
    }
    if (const auto* compaction = std::get_if<Compaction>(&event);
        compaction && compaction->phase == CompactionPhase::completed)
      tell("◇ " + std::string(to_string(compaction->tier)) + " · " + compaction->strategy + " · " +
           thousands(compaction->before) + " → " + thousands(compaction->after) + " tokens · " +
           compaction->audit);
  }

 private:
  static void tell(const std::string& text) { print(stderr, text + "\n"); }
  bool on_;
};

// What the reader of prompts and the session share. The reader may still wait for a line when the session is
// over, so it holds this, too.
struct Prompts {
  Mailbox<Command> commands;
  std::mutex mutex;
  Session* session = nullptr;  // while there is one to interrupt
  bool events = false;         // standard output is a stream of events
  bool wrong = false;          // a line was none

  void connect(Session* to) {
    const std::lock_guard lock(mutex);
    session = to;
  }
  void complain(const std::string& why) {
    print(stderr, "tern: " + why + "\n");
    const std::lock_guard lock(mutex);
    wrong = true;
    if (events && session) say(input_error_line(why, *session));
  }
  bool any_wrong() {
    const std::lock_guard lock(mutex);
    return wrong;
  }
  void interrupt() {
    const std::lock_guard lock(mutex);
    if (session) session->interrupt();
  }
};

// Prompts as they come on standard input; its end ends the session.
void read_prompts(const std::shared_ptr<Prompts>& shared) {
  for (std::string line; std::getline(std::cin, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    auto parsed = parse_input_line(line);
    if (parsed.interrupt)
      shared->interrupt();
    else if (!parsed.error.empty())
      shared->complain(parsed.error);
    else
      shared->commands.push(Submit{std::move(parsed.text), {}, When::after});
  }
  shared->commands.close();  // what is queued is still answered
}

class Front {
 public:
  Front(const HeadlessOptions& options, Session*& session)
      : options_(options), session_(session), progress_(options.verbose || ::isatty(STDERR_FILENO)) {}

  void operator()(const Event& event) {
    progress_(event);
    if (const auto* added = std::get_if<ItemAdded>(&event); added && !added->replayed) item(*added->item);
    if (options_.format == Format::stream_json) stream(event);
    if (const auto* ended = std::get_if<TurnEnded>(&event)) finish(*ended);
  }
  int exit_code() const { return exit_code_; }
  void opened() { run_.before = session_->store().usage_by_model(); }
  void watch(const SignalWatch& signals) { signals_ = &signals; }

 private:
  void item(const Item& item) {
    if (item.role != Role::assistant) return void(goes_on_ = asks_for_the_rest(item));
    ++run_.requests;
    if (!std::exchange(goes_on_, false)) last_text_.clear();
    for (const auto& block : item.blocks)
      if (const auto* text = std::get_if<Text>(&block)) last_text_ += text->text;
  }

  void stream(const Event& event) {
    if (const auto* opened = std::get_if<SessionOpened>(&event); opened && session_)
      say(init_line(*session_));
    if (const auto line = stream_line(event, *session_, options_.partial); !line.empty()) say(line);
  }

  void finish(TurnEnded ended) {
    const bool kept = session_->settle();
    if (!kept && ended.exit_code == 0) ended.exit_code = 1;
    if (signals_ && signals_->seen()) ended.exit_code = 128 + signals_->seen();
    exit_code_ = ended.exit_code;
    run_.milliseconds += ended.milliseconds;
    if (options_.format != Format::text) {
      say(result_line(*session_, ended, last_text_, run_));
    } else {
      if (!last_text_.empty()) say(answer(ended));
      if (!ended.error.empty()) print(stderr, "tern: " + ended.error + "\n");
      if (ended.exit_code == refused)
        print(stderr, "tern: " + refusals(session_->agent().denials, session_->mode()) + "\n");
    }
    std::fflush(stdout);
    last_text_.clear();
  }

  // With a schema the value itself, without the code fence that models like to put around it.
  std::string answer(const TurnEnded& ended) const {
    if (ended.how != TurnEnded::How::done || session_->agent().limits.json_schema.empty()) return last_text_;
    return json_of_answer(last_text_).value_or(last_text_);
  }

  const HeadlessOptions& options_;
  Session*& session_;
  Progress progress_;
  std::string last_text_;
  const SignalWatch* signals_ = nullptr;
  RunTotals run_;
  bool goes_on_ = false;  // the next answer is the rest of the last
  int exit_code_ = 0;
};

}  // namespace

int run_headless(SessionSetup setup, HeadlessOptions options) {
  const auto shared = std::make_shared<Prompts>();
  setup.live = options.input_stream;
  setup.may_ask = false;
  Session* opened = nullptr;
  Front front(options, opened);
  Session session(std::move(setup), shared->commands, [&](const Event& event) { front(event); });
  opened = &session;
  SignalWatch signals(session);
  front.watch(signals);
  if (!session.open()) {
    if (options.format == Format::text)
      print(stderr, "tern: " + session.why() + "\n");
    else
      say(failure_line(session.why(), session.exit_code()));
    return session.exit_code();
  }
  front.opened();
  int code = 0;
  if (options.input_stream) {
    shared->events = options.format == Format::stream_json;
    shared->connect(&session);
    std::thread(read_prompts, shared).detach();
    session.run();
    shared->connect(nullptr);
    code = front.exit_code();
    if (code == 0 && shared->any_wrong()) code = 1;
  } else {
    session.once(Submit{std::move(options.prompt), {}, When::steer});
    code = front.exit_code();
  }
  if (!session.settle() && code == 0) code = 1;
  std::fflush(stdout);
  return signals.seen() ? 128 + signals.seen() : code;
}

}  // namespace tern
