// The owner's side of the command mailbox: what comes while a turn runs is answered at once or waits here, in
// order. News of other parts of the program and work that helpers hand over come in beside it.
#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "agent/protocol/event.h"
#include "agent/protocol/mailbox.h"
#include "agent/protocol/wake.h"
#include "compression/text/owner_thread.h"

namespace tern {

class Inbox {
 public:
  // `live` answers commands that may run during a turn; false = they wait for its end. It runs on the worker.
  using Live = std::function<bool(Command&)>;
  using Emit = std::function<void(Event)>;
  using News = std::function<void(const Wake&)>;
  Inbox(Mailbox<Command>& mailbox, Emit emit) : mailbox_(mailbox), emit_(std::move(emit)) {}
  void set_live(Live live) { live_ = std::move(live); }
  void set_news(News news) { news_ = std::move(news); }

  // Any thread: the owner hears of it at once, also in the middle of a turn.
  void wake(Wake news) { aside_.push(std::move(news)); }

  // Between turns: the next command, first what had to wait. Nothing = the mailbox was closed.
  std::optional<Command> next();
  bool idle();  // nothing waits

  // During a turn.
  void drain();                         // sort what has arrived
  std::vector<Submit> take_steering();  // typed-ahead prompts meant for the next request
  bool steering() const;                // there is one
  std::optional<Answer> wait_answer(std::uint64_t id, std::stop_token stop);
  // Runs `work` on a helper thread while this one keeps answering live commands; inline where nobody types.
  // There, work that starts threads of its own says so (`errands`): this one is then free for what they bring
  // to on_owner().
  void attend(const std::function<void()>& work, bool errands = false);
  // From that helper: runs `work` on the owner's thread and returns when it is done. What it throws is thrown
  // here.
  void on_owner(const std::function<void()>& work);
  void set_attending(bool on) { attending_ = on; }

 private:
  struct Errand {  // what a helper waits for
    const std::function<void()>& work;
    std::stop_source done;
    std::exception_ptr failure;
  };
  using Aside = std::variant<Wake, Errand*>;
  void sort(Command command);
  void take(Aside aside);
  void look_aside();
  void serve(const std::stop_token& done);
  void show_queue();

  Mailbox<Command>& mailbox_;
  Emit emit_;
  Live live_;
  News news_;
  Mailbox<Aside> aside_{[this] { mailbox_.poke(); }};
  std::thread::id attends_;  // the thread a helper works for
  OwnerThread owner_;
  std::deque<Submit> prompts_;
  std::deque<Command> later_;
  std::vector<Answer> answers_;
  bool attending_ = true;
};

}  // namespace tern
