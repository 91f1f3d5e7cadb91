// Ends the work of the command that runs. The owner begins work; any thread may end it.
#pragma once

#include <mutex>
#include <stop_token>

namespace tern {

class WorkStop {
 public:
  std::stop_token begin() {  // a fresh token for one command
    std::lock_guard lock(mutex_);
    source_ = std::stop_source();
    return source_.get_token();
  }
  std::stop_token now() {  // of what runs
    std::lock_guard lock(mutex_);
    return source_.get_token();
  }
  void end() {
    std::lock_guard lock(mutex_);
    source_.request_stop();
  }

 private:
  std::mutex mutex_;
  std::stop_source source_;
};

}  // namespace tern
