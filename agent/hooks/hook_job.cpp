#include "agent/hooks/hook_job.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

namespace tern {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kGrace{300};       // from TERM to KILL
constexpr milliseconds kPatience{2'500};  // then the supervisor itself is killed

void keep(std::string& text, std::string_view bytes) {
  if (text.size() < hook_output_limit) text += bytes.substr(0, hook_output_limit - text.size());
}

std::string seconds(milliseconds time) {
  const auto tenths = time.count() / 100;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

// One command, from start to end.
struct Running {
  Process process;
  std::string input, out, err;
  Clock::time_point begun = Clock::now(), limit, last_resort = Clock::time_point::max();
  bool out_open = true, err_open = true, over = false, late = false, stopped = false;
  Clock::time_point slow = Clock::time_point::max();
  std::function<void()> on_slow;
  HookOutcome outcome;

  void start(const HookJob& job) {
    on_slow = job.on_slow;
    if (on_slow) slow = begun + job.slow;
    input = job.input;
    limit = begun + job.timeout;
    outcome.error = process.start(job.command);
    over = !outcome.error.empty();
  }
  void feed() {
    if (input.empty()) return;
    const auto put = process.write_input(input);
    input.erase(0, put < 0 ? input.npos : static_cast<std::size_t>(put));
    if (input.empty()) process.close_input();
  }
  void read() {
    if (out_open) out_open = process.drain([this](std::string_view bytes) { keep(out, bytes); });
    if (err_open) err_open = process.drain_errors([this](std::string_view bytes) { keep(err, bytes); });
  }
  void end_it() {
    process.stop(kGrace);
    last_resort = Clock::now() + kPatience;
  }
  void look(bool stop_asked) {
    feed();
    const auto end = process.ended();
    read();
    if (end) return finish(*end);
    const auto now = Clock::now();
    if (now >= slow) {
      slow = Clock::time_point::max();
      on_slow();
    }
    if (last_resort == Clock::time_point::max() && (stop_asked || now >= limit)) {
      stopped = stop_asked;
      late = !stop_asked;
      end_it();
    } else if (now >= last_resort) {
      process.kill_supervisor();
      last_resort = now + kPatience;
    }
  }
  void finish(const ProcessEnd& end) {
    for (int round = 0; (out_open || err_open) && round < 64; ++round) read();  // what it said last
    over = true;
    outcome.status = end.status;
    outcome.error =
        late ? "it was stopped after " + seconds(std::chrono::duration_cast<milliseconds>(limit - begun))
             : end.error;
    outcome.stopped = stopped;
    if (out.size() >= hook_output_limit && outcome.error.empty()) outcome.error = "it printed more than 1 MB";
    outcome.out = std::move(out);
    outcome.err = std::move(err);
    outcome.took = std::chrono::duration_cast<milliseconds>(Clock::now() - begun);
  }
};

// Wakes the thread that waits in poll() when a stop is asked for.
class StopBell {
 public:
  explicit StopBell(std::stop_token stop) : rings_(std::move(stop), Ring{bell_.fd}) {}
  int fd() const { return bell_.fd; }

 private:
  struct Bell {
    int fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    ~Bell() { ::close(fd); }
  };
  struct Ring {
    int fd;
    void operator()() const {
      const std::uint64_t one = 1;
      if (::write(fd, &one, sizeof one) < 0) return;
    }
  };
  Bell bell_;  // outlives the callback
  std::stop_callback<Ring> rings_;
};

milliseconds until_next(const std::vector<std::unique_ptr<Running>>& all) {
  const auto now = Clock::now();
  auto next = now + std::chrono::hours(1);
  for (const auto& one : all) {
    if (one->over) continue;
    next = std::min(next, one->last_resort == Clock::time_point::max() ? one->limit : one->last_resort);
    next = std::min(next, one->slow);
    if (one->process.status_fd() < 0)
      next = std::min(next, now + milliseconds(20));  // its end is not told but asked for
  }
  return std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(next - now) + milliseconds(1));
}

void wait_for_news(const std::vector<std::unique_ptr<Running>>& all, int bell) {
  std::vector<pollfd> fds;
  if (bell >= 0) fds.push_back({bell, POLLIN, 0});
  for (const auto& one : all) {
    if (one->over) continue;
    fds.push_back({one->process.status_fd(), POLLIN, 0});
    if (one->out_open) fds.push_back({one->process.output_fd(), POLLIN, 0});
    if (one->err_open) fds.push_back({one->process.errors_fd(), POLLIN, 0});
    if (!one->input.empty()) fds.push_back({one->process.input_fd(), POLLOUT, 0});
  }
  ::poll(fds.data(), fds.size(), static_cast<int>(until_next(all).count()));
}

void run_commands(const std::vector<std::unique_ptr<Running>>& all, std::stop_token stop) {
  const StopBell bell(stop);
  for (;;) {
    const bool asked = stop.stop_requested();
    for (const auto& one : all)
      if (!one->over) one->look(asked);
    if (std::all_of(all.begin(), all.end(), [](const auto& one) { return one->over; })) return;
    wait_for_news(all, asked ? -1 : bell.fd());
  }
}

HookOutcome post(const HookJob& job, std::stop_token stop) {
  HookOutcome outcome;
  const auto begun = Clock::now();
  auto request = *job.request;
  request.body = std::make_shared<const std::string>(job.input);
  request.timeouts.connect = std::min(request.timeouts.connect, job.timeout);
  request.timeouts.first_byte = request.timeouts.idle = job.timeout;
  HttpHandlers handlers;
  handlers.on_data = [&](std::string_view bytes) {
    keep(outcome.out, bytes);
    const bool enough = outcome.out.size() >= hook_output_limit || Clock::now() - begun >= job.timeout;
    return enough ? HttpNext::stop : HttpNext::more;
  };
  const auto result = http_stream(request, handlers, stop);
  outcome.took = std::chrono::duration_cast<milliseconds>(Clock::now() - begun);
  outcome.stopped = stop.stop_requested();
  const bool late = result.error == HttpError::first_byte_timeout ||
                    result.error == HttpError::idle_timeout || result.error == HttpError::connect_timeout ||
                    outcome.took >= job.timeout;
  if (late)
    outcome.error = "no answer within " + seconds(job.timeout);
  else if (result.error != HttpError::none)
    outcome.error = result.detail.empty() ? "the connection failed" : result.detail;
  else if (result.head.status < 200 || result.head.status > 299)
    outcome.error = "HTTP " + std::to_string(result.head.status);
  return outcome;
}

}  // namespace

std::vector<HookOutcome> run_jobs(std::vector<HookJob> jobs, std::stop_token stop) {
  std::vector<HookOutcome> outcomes(jobs.size());
  std::vector<std::thread> posts;
  std::vector<std::unique_ptr<Running>> commands;
  std::vector<std::size_t> places;
  keep_supervisors(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i].request) {
      posts.emplace_back([&outcomes, &jobs, i, stop] { outcomes[i] = post(jobs[i], stop); });
      continue;
    }
    jobs[i].command.two_way = true;
    commands.push_back(std::make_unique<Running>());
    commands.back()->start(jobs[i]);
    places.push_back(i);
  }
  if (!commands.empty()) run_commands(commands, stop);
  for (std::size_t i = 0; i < places.size(); ++i) outcomes[places[i]] = std::move(commands[i]->outcome);
  for (auto& thread : posts) thread.join();
  return outcomes;
}

}  // namespace tern
