#include "app/session/question_desk.h"

#include <algorithm>
#include <utility>

namespace tern {

UserAnswer QuestionDesk::ask(const UserQuestion& question, std::stop_token stop,
                             const std::function<void()>& on_waiting) {
  auto mine = std::make_shared<Waiting>();
  mine->question = question;
  mine->stop = stop;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return {};
    waiting_.push_back(mine);
  }
  on_waiting();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, stop, [&] { return mine->done || closed_; });
  std::erase(waiting_, mine);
  return mine->done ? mine->answer : UserAnswer{};
}

void QuestionDesk::serve(const Ask& ask) {
  std::unique_lock lock(mutex_);
  if (std::exchange(serving_, true)) return;
  while (!waiting_.empty() && !closed_) {
    const auto next = waiting_.front();
    waiting_.pop_front();
    if (next->stop.stop_requested()) continue;
    lock.unlock();
    UserAnswer answer = ask(next->question, next->stop);
    lock.lock();
    next->answer = std::move(answer);
    next->done = true;
    changed_.notify_all();
  }
  serving_ = false;
}

bool QuestionDesk::waiting() const {
  const std::lock_guard lock(mutex_);
  return !waiting_.empty();
}

void QuestionDesk::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

}  // namespace tern
