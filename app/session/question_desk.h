// Questions of other threads for the person, asked one after another by the session's owner.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>

#include "tools/set/user_question.h"

namespace tern {

class QuestionDesk {
 public:
  // Any thread, which waits: `on_waiting` tells the owner of it. Refused when it is stopped, or the desk is
  // closed.
  UserAnswer ask(const UserQuestion& question, std::stop_token stop, const std::function<void()>& on_waiting);

  // The owner: all that wait, unless it is at it already.
  using Ask = std::function<UserAnswer(const UserQuestion& question, std::stop_token stop)>;
  void serve(const Ask& ask);
  bool waiting() const;
  void close();  // every question is refused

 private:
  struct Waiting {
    UserQuestion question;
    std::stop_token stop;
    UserAnswer answer;
    bool done = false;
  };
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::shared_ptr<Waiting>> waiting_;
  bool serving_ = false, closed_ = false;
};

}  // namespace tern
