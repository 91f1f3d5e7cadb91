#include "agent/protocol/inbox.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace tern {

std::optional<Command> Inbox::next() {
  for (;;) {
    drain();
    if (!later_.empty()) {
      auto command = std::move(later_.front());
      later_.pop_front();
      return command;
    }
    if (!prompts_.empty()) {
      Command command = std::move(prompts_.front());
      prompts_.pop_front();
      show_queue();
      return command;
    }
    if (mailbox_.closed()) return std::nullopt;
    if (auto command = mailbox_.wait()) return command;
  }
}

bool Inbox::idle() {
  drain();
  return later_.empty() && prompts_.empty();
}

void Inbox::drain() {
  owner_.check();
  look_aside();
  for (auto& command : mailbox_.drain()) sort(std::move(command));
}

void Inbox::sort(Command command) {
  if (auto* prompt = std::get_if<Submit>(&command)) {
    prompts_.push_back(std::move(*prompt));
    show_queue();
  } else if (auto* answer = std::get_if<Answer>(&command)) {
    answers_.push_back(std::move(*answer));
  } else if (std::holds_alternative<TakeBack>(command)) {
    TakenBack back;
    for (auto& waiting : prompts_) back.texts.push_back(std::move(waiting.text));
    prompts_.clear();
    emit_(Queue{});
    emit_(std::move(back));
  } else if (!live_ || !live_(command)) {
    later_.push_back(std::move(command));
  }
}

void Inbox::show_queue() {
  Queue queue;
  for (const auto& waiting : prompts_) queue.texts.push_back(waiting.text);
  emit_(std::move(queue));
}

std::vector<Submit> Inbox::take_steering() {
  drain();
  std::vector<Submit> taken;
  for (auto it = prompts_.begin(); it != prompts_.end();) {
    if (it->when != When::steer) {
      ++it;
      continue;
    }
    taken.push_back(std::move(*it));
    it = prompts_.erase(it);
  }
  if (!taken.empty()) show_queue();
  return taken;
}

bool Inbox::steering() const {
  return std::any_of(prompts_.begin(), prompts_.end(),
                     [](const Submit& prompt) { return prompt.when == When::steer; });
}

std::optional<Answer> Inbox::wait_answer(std::uint64_t id, std::stop_token stop) {
  while (!stop.stop_requested()) {
    const auto found = std::find_if(answers_.begin(), answers_.end(),
                                    [id](const Answer& answer) { return answer.id == id; });
    if (found != answers_.end()) {
      auto answer = std::move(*found);
      answers_.erase(found);
      return answer;
    }
    if (auto command = mailbox_.wait(stop))
      sort(std::move(*command));
    else if (mailbox_.closed())
      return std::nullopt;
    look_aside();
  }
  return std::nullopt;
}

void Inbox::look_aside() {
  while (auto one = aside_.try_pop()) take(std::move(*one));
}

void Inbox::take(Aside aside) {
  if (const auto* news = std::get_if<Wake>(&aside)) {
    if (news_) news_(*news);
    return;
  }
  auto& errand = *std::get<Errand*>(aside);
  try {
    errand.work();
  } catch (...) {
    errand.failure = std::current_exception();
  }
  auto done = errand.done;  // the errand goes as soon as its helper hears of the end
  done.request_stop();
}

void Inbox::on_owner(const std::function<void()>& work) {
  if (std::this_thread::get_id() == attends_) return work();
  Errand errand{work, {}, {}};
  aside_.push(&errand);
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any().wait(lock, errand.done.get_token(), [] { return false; });
  if (errand.failure) std::rethrow_exception(errand.failure);
}

// Whatever comes until `done`; only the errands of helpers where nobody can type.
void Inbox::serve(const std::stop_token& done) {
  while (!done.stop_requested()) {
    if (!attending_ || mailbox_.closed()) {
      if (auto one = aside_.wait(done)) take(std::move(*one));
      continue;
    }
    if (auto command = mailbox_.wait(done)) sort(std::move(*command));
    look_aside();
  }
}

void Inbox::attend(const std::function<void()>& work, bool errands) {
  owner_.check();
  if (attends_ != std::this_thread::get_id()) attends_ = std::this_thread::get_id();
  if (!attending_ && !errands) return work();
  std::stop_source done;
  std::exception_ptr failure, mine;
  std::thread helper([&] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    done.request_stop();
  });
  while (!done.stop_requested()) {
    try {
      serve(done.get_token());
    } catch (...) {  // the helper may still need this thread
      if (!mine) mine = std::current_exception();
    }
  }
  helper.join();
  if (failure) std::rethrow_exception(failure);
  if (mine) std::rethrow_exception(mine);
}

}  // namespace tern
