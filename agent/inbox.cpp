#include "agent/inbox.h"

#include <algorithm>
#include <exception>
#include <thread>

namespace tern {

std::optional<Command> Inbox::next() {
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
  return mailbox_.wait();
}

bool Inbox::idle() {
  drain();
  return later_.empty() && prompts_.empty();
}

void Inbox::drain() {
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
  return std::any_of(prompts_.begin(), prompts_.end(), [](const Submit& prompt) { return prompt.when == When::steer; });
}

std::optional<Answer> Inbox::wait_answer(std::uint64_t id, std::stop_token stop) {
  while (!stop.stop_requested()) {
    const auto found = std::find_if(answers_.begin(), answers_.end(), [id](const Answer& answer) { return answer.id == id; });
    if (found != answers_.end()) {
      auto answer = std::move(*found);
      answers_.erase(found);
      return answer;
    }
    auto command = mailbox_.wait(stop);
    if (!command) return std::nullopt;
    sort(std::move(*command));
  }
  return std::nullopt;
}

void Inbox::attend(const std::function<void()>& work) {
  if (!attending_) return work();
  std::stop_source done;
  std::exception_ptr failure;
  std::thread helper([&] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    done.request_stop();
  });
  try {
    while (!done.stop_requested()) {
      auto command = mailbox_.wait(done.get_token());
      if (!command) break;
      sort(std::move(*command));
    }
  } catch (...) {
    if (!failure) failure = std::current_exception();
  }
  helper.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tern
