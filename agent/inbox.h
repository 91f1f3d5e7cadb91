// The worker's side of the command mailbox: what comes while a turn runs is answered at once or waits here, in order.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/event.h"
#include "agent/mailbox.h"

namespace tern {

class Inbox {
 public:
  // `live` answers commands that may run during a turn; false = they wait for its end. It runs on the worker.
  using Live = std::function<bool(Command&)>;
  using Emit = std::function<void(Event)>;
  Inbox(Mailbox<Command>& mailbox, Emit emit) : mailbox_(mailbox), emit_(std::move(emit)) {}
  void set_live(Live live) { live_ = std::move(live); }

  // Between turns: the next command, first what had to wait. Nothing = the mailbox was closed.
  std::optional<Command> next();
  bool idle();  // nothing waits

  // During a turn.
  void drain();                         // sort what has arrived
  std::vector<Submit> take_steering();  // typed-ahead prompts meant for the next request
  bool steering() const;                // there is one
  std::optional<Answer> wait_answer(std::uint64_t id, std::stop_token stop);
  // Runs `work` on a helper thread while this one keeps answering live commands; inline where nobody types.
  void attend(const std::function<void()>& work);
  void set_attending(bool on) { attending_ = on; }

 private:
  void sort(Command command);
  void show_queue();

  Mailbox<Command>& mailbox_;
  Emit emit_;
  Live live_;
  std::deque<Submit> prompts_;
  std::deque<Command> later_;
  std::vector<Answer> answers_;
  bool attending_ = true;
};

}  // namespace tern
