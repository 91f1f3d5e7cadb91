#include "tools/exec/follow.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "tools/exec/process_tree.h"

namespace tern {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kProgressEvery{50};
constexpr std::size_t kProgressBytes = 8 * 1024;
// A flood is read in gulps: left alone so long, the pipe fills up, and neither side is woken for every 8 KB.
constexpr std::uint64_t kFlood = 256 * 1024;
constexpr int kGulp = 256 * 1024;
constexpr timespec kGulpTime{0, 200'000};

// Wakes a poll when the turn is stopped.
class StopSignal {
 public:
  explicit StopSignal(const std::stop_token& stop) : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    callback_.emplace(stop, Ring{fd_});
  }
  ~StopSignal() {
    callback_
        .reset();  // waits for one that runs: it must not ring a descriptor that is somebody else's by then
    ::close(fd_);
  }
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  int fd() const { return fd_; }

 private:
  struct Ring {
    int fd;
    void operator()() const {
      const std::uint64_t one = 1;
      if (::write(fd, &one, sizeof one) < 0) return;
    }
  };
  int fd_;
  std::optional<std::stop_callback<Ring>> callback_;
};

// The newest part of what came, at most twenty times a second.
class Progress {
 public:
  explicit Progress(const std::function<void(std::string_view)>& sink) : sink_(sink) {}

  void add(std::string_view bytes) {
    if (!sink_) return;
    if (bytes.size() > kProgressBytes) bytes.remove_prefix(bytes.size() - kProgressBytes), waiting_.clear();
    waiting_.append(bytes);
    if (waiting_.size() > kProgressBytes) waiting_.erase(0, waiting_.size() - kProgressBytes);
    flush(Clock::now());
  }

  void flush(Clock::time_point now) {
    if (waiting_.empty() || now < next_) return;
    next_ = now + kProgressEvery;
    sink_(valid_utf8(std::move(waiting_)));
    waiting_.clear();
  }

  bool waiting() const { return !waiting_.empty(); }
  Clock::time_point next() const { return next_; }

 private:
  const std::function<void(std::string_view)>& sink_;
  std::string waiting_;
  Clock::time_point next_{};
};

class Follower {
 public:
  Follower(Process& process, OutputRing& output, const FollowLimits& limits, std::stop_token stop,
           const std::function<void(std::string_view)>& progress)
      : process_(process),
        output_(output),
        limits_(limits),
        stop_(std::move(stop)),
        signal_(stop_),
        move_signal_(limits.move),
        progress_(progress) {}

  Following run() {
    for (;;) {
      const Clock::time_point now = Clock::now();
      progress_.flush(now);
      decide(now);
      if (result_.how == Following::How::time_up) return result_;
      wait(now);
      if (std::optional<ProcessEnd> end = process_.ended()) return finish(*end);
      if (stopping_ && Clock::now() > give_up_)
        return result_.how == Following::How::stopped ? leave() : abandon();
    }
  }

 private:
  void decide(Clock::time_point now) {
    if (stopping_) return;
    if (stop_.stop_requested()) return bring_down(Following::How::stopped, now);
    if (now >= begun_ + limits_.time || limits_.move.stop_requested())
      result_.how = Following::How::time_up;
    else if (now >= look_)
      look_closer(now);
  }

  void look_closer(Clock::time_point now) {
    look_ = now + limits_.answer;
    if (!reads_like_question(output_.last_line())) return;
    if (reads_terminal(process_.supervisor_pid())) return bring_down(Following::How::asking, now);
    if (!result_.seemed_asking)
      progress_.add("\n[this reads like a question; a command here gets no input]\n");
    result_.seemed_asking = true;
  }

  void bring_down(Following::How how, Clock::time_point now) {
    result_.how = how;
    stopping_ = true;
    process_.stop(limits_.grace);
    give_up_ = now + (how == Following::How::stopped ? limits_.leave : limits_.grace + milliseconds(1600));
  }

  milliseconds patience(Clock::time_point now) const {
    Clock::time_point next = stopping_ ? give_up_ : begun_ + limits_.time;
    if (!stopping_) next = std::min(next, look_);
    if (process_.status_fd() < 0) return milliseconds(20);  // everything is said, only the reaping is left
    if (progress_.waiting()) next = std::min(next, progress_.next());
    return std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(next - now) + milliseconds(1));
  }

  void wait(Clock::time_point now) {
    std::array<pollfd, 4> fds{{{open_ ? process_.output_fd() : -1, POLLIN, 0},
                               {process_.status_fd(), POLLIN, 0},
                               {stopping_ ? -1 : signal_.fd(), POLLIN, 0},
                               {stopping_ ? -1 : move_signal_.fd(), POLLIN, 0}}};
    const int ready = ::poll(fds.data(), fds.size(), static_cast<int>(patience(now).count()));
    if (fds[0].revents == 0) return;
    int waiting = 0;
    if (ready == 1 && flow_ > kFlood && ::ioctl(fds[0].fd, FIONREAD, &waiting) == 0 && waiting < kGulp) {
      fds[0].fd = -1;
      ::ppoll(fds.data(), fds.size(), &kGulpTime, nullptr);
    }
    read_once();
  }

  void read_once() {
    open_ = process_.drain([&](std::string_view bytes) {
      output_.append(bytes);
      progress_.add(bytes);
      const Clock::time_point now = Clock::now();
      flow_ = now - heard_ < milliseconds(5) ? flow_ + bytes.size() : bytes.size();
      heard_ = now;
      look_ = now + limits_.answer;
      result_.seemed_asking = false;
    });
  }

  // The tree is gone, so what is in the pipe now is all there will ever be.
  Following finish(const ProcessEnd& end) {
    for (std::uint64_t before = output_.bytes() + 1; open_ && before != output_.bytes();) {
      before = output_.bytes();
      read_once();
    }
    result_.end = end;
    return result_;
  }

  Following leave() {
    result_.how = Following::How::leaving;
    result_.end.stopped = true;
    return result_;
  }

  Following abandon() {
    process_.kill_supervisor();
    result_.end.status = 137;
    result_.end.error = "the command did not end when told to; the rest of it waits in the kernel";
    return result_;
  }

  Process& process_;
  OutputRing& output_;
  const FollowLimits& limits_;
  std::stop_token stop_;
  StopSignal signal_, move_signal_;
  Progress progress_;
  Following result_;
  bool stopping_ = false, open_ = true;
  std::uint64_t flow_ = 0;  // bytes since it last paused
  const Clock::time_point begun_ = Clock::now();
  Clock::time_point heard_ = begun_, look_ = begun_ + limits_.answer, give_up_{};
};

}  // namespace

bool reads_like_question(std::string_view line) {
  std::string lower(line);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  while (!lower.empty() && std::isspace(static_cast<unsigned char>(lower.back()))) lower.pop_back();
  if (lower.empty()) return false;
  const auto says = [&](std::string_view part) {  // words from their beginning: no "enter" in a "center"
    std::size_t at = lower.find(part);
    while (at != std::string::npos && at > 0 && std::isalnum(static_cast<unsigned char>(part.front())) != 0 &&
           std::isalnum(static_cast<unsigned char>(lower[at - 1])) != 0)
      at = lower.find(part, at + 1);
    return at != std::string::npos;
  };
  for (const char* part : {"[y/n", "(y/n", "[yes/no", "(yes/no", "[y,n", "y/n]", "y/n)", "press any key",
                           "press enter", "press return", "hit enter"})
    if (says(part)) return true;
  if (lower.back() != ':' && lower.back() != '?' && lower.back() != '>') return false;
  for (const char* part : {"password", "passphrase", "passcode", "username", "login", "continue?", "proceed?",
                           "are you sure", "overwrite", "verification code", "otp", "enter ", "your choice",
                           "please type", "select ", "confirm", "(yes)", "retry?"})
    if (says(part)) return true;
  return false;
}

Following follow(Process& process, OutputRing& output, const FollowLimits& limits, std::stop_token stop,
                 const std::function<void(std::string_view)>& progress) {
  return Follower(process, output, limits, std::move(stop), progress).run();
}

}  // namespace tern
