// The one type that crosses threads: an unbounded queue with one consumer. Values go in, values come out,
// nothing is shared. Any thread may push; one thread drains. `wake` runs after each push, outside the lock
// (an eventfd write in the UI).
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace tern {

template <class T>
class Mailbox {
 public:
  // Merge: called under the lock with the newest queued value and the incoming one; true = merged, do not
  // queue.
  using Merge = bool (*)(T& newest, T& incoming);
  explicit Mailbox(std::function<void()> wake = {}, Merge merge = nullptr)
      : wake_(std::move(wake)), merge_(merge) {}

  void push(T value) {
    {
      std::lock_guard lock(mutex_);
      if (closed_) return;
      if (!merge_ || queue_.empty() || !merge_(queue_.back(), value)) queue_.push_back(std::move(value));
    }
    ready_.notify_one();
    if (wake_) wake_();
  }

  std::deque<T> drain() {
    std::lock_guard lock(mutex_);
    return std::exchange(queue_, {});
  }

  std::optional<T> try_pop() {
    std::lock_guard lock(mutex_);
    return take();
  }

  // Waits for a value, for close(), for stop or for a poke(): the last three give nothing.
  std::optional<T> wait(std::stop_token stop = {}) {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, stop, [&] { return !queue_.empty() || closed_ || poked_; });
    poked_ = false;
    return take();
  }

  // Ends the wait() that is going on, or the next one: there is something for its thread elsewhere.
  void poke() {
    {
      std::lock_guard lock(mutex_);
      poked_ = true;
    }
    ready_.notify_all();
  }

  bool closed() const {  // and there is nothing left in it
    std::lock_guard lock(mutex_);
    return closed_ && queue_.empty();
  }

  template <class Clock, class Duration>
  std::optional<T> wait_until(std::chrono::time_point<Clock, Duration> deadline, std::stop_token stop = {}) {
    std::unique_lock lock(mutex_);
    ready_.wait_until(lock, stop, deadline, [&] { return !queue_.empty() || closed_; });
    return take();
  }

  void close() {
    {
      std::lock_guard lock(mutex_);
      closed_ = true;
    }
    ready_.notify_all();
  }

 private:
  std::optional<T> take() {
    if (queue_.empty()) return std::nullopt;
    std::optional<T> value(std::move(queue_.front()));
    queue_.pop_front();
    return value;
  }

  mutable std::mutex mutex_;
  std::condition_variable_any ready_;
  std::deque<T> queue_;
  bool closed_ = false, poked_ = false;
  std::function<void()> wake_;
  Merge merge_;
};

}  // namespace tern
