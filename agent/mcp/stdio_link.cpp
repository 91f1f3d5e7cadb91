#include "agent/mcp/stdio_link.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <mutex>
#include <optional>
#include <thread>

#include "tools/exec/command_limits.h"
#include "tools/exec/output_ring.h"

namespace tern {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kMostWaiting = 16u << 20;  // written to a server that does not read
constexpr std::size_t kLastWords = 4096;
constexpr milliseconds kPolite{250};      // from the end of its input to TERM
constexpr milliseconds kUsualEnd{400};    // from the end of its output to its own
constexpr milliseconds kPatience{2'500};  // then the supervisor itself is killed

std::string how_it_ended(const ProcessEnd& end) {
  if (!end.error.empty()) return end.error;
  if (end.signal != 0) return "it was ended by signal " + std::to_string(end.signal);
  return "it ended with exit status " + std::to_string(end.status);
}

}  // namespace

struct StdioLink::State {
  ProcessSpec spec;
  LinkEvents events;
  Process process;
  StdioFraming framing;
  std::thread thread;
  int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  bool output_open = true;  // the thread's alone

  mutable std::mutex mutex;  // guards all below
  std::string waiting, errors;
  bool closing = false, over = false;

  ~State() { ::close(wake); }
  void ring() const {
    const std::uint64_t one = 1;
    if (::write(wake, &one, sizeof one) < 0) return;
  }
  bool is_closing() const {
    const std::lock_guard lock(mutex);
    return closing;
  }
  void serve();
  void wait_for_news(milliseconds patience);
  void write_waiting();
  void read_output();
  void hear_error(std::string_view bytes);
  void bring_down();
  std::string why_it_ended(const std::optional<ProcessEnd>& end);
};

void StdioLink::State::wait_for_news(milliseconds patience) {
  bool writes = false;
  {
    const std::lock_guard lock(mutex);
    writes = !waiting.empty();
  }
  pollfd fds[5] = {{wake, POLLIN, 0},
                   {process.status_fd(), POLLIN, 0},
                   {output_open ? process.output_fd() : -1, POLLIN, 0},
                   {process.errors_fd(), POLLIN, 0},
                   {writes ? process.input_fd() : -1, POLLOUT, 0}};
  ::poll(fds, 5, static_cast<int>(patience.count()));
  std::uint64_t rung = 0;
  while (::read(wake, &rung, sizeof rung) > 0) {}
}

void StdioLink::State::write_waiting() {
  const std::lock_guard lock(mutex);
  if (waiting.empty()) return;
  const std::ptrdiff_t put = process.write_input(waiting);
  waiting.erase(0, put < 0 ? waiting.npos : static_cast<std::size_t>(put));
}

void StdioLink::State::read_output() {
  const LineSplitter::Lines lines{.whole = [this](std::string line) { events.on_message(std::move(line)); },
                                  .too_long = events.on_oversized};
  if (output_open) output_open = process.drain([&](std::string_view bytes) { framing.feed(bytes, lines); });
  process.drain_errors([this](std::string_view bytes) { hear_error(bytes); });
}

void StdioLink::State::hear_error(std::string_view bytes) {
  if (bytes.size() > kLastWords) bytes.remove_prefix(bytes.size() - kLastWords);
  const std::lock_guard lock(mutex);
  errors += bytes;
  if (errors.size() > 2 * kLastWords) errors.erase(0, errors.size() - kLastWords);
}

std::string StdioLink::State::why_it_ended(const std::optional<ProcessEnd>& end) {
  return end ? how_it_ended(*end) : "it closed its output";
}

void StdioLink::State::serve() {
  std::optional<ProcessEnd> end;
  while (!is_closing()) {
    wait_for_news(milliseconds(-1));
    end = process.ended();
    write_waiting();
    read_output();
    for (int round = 0; end && output_open && round < 64; ++round) read_output();  // what it said last
    if (end || !output_open) break;
  }
  for (const auto limit = Clock::now() + kUsualEnd; !end && !is_closing() && Clock::now() < limit;
       end = process.ended())
    wait_for_news(milliseconds(20));
  const bool asked = is_closing();
  if (!end) bring_down();
  {
    const std::lock_guard lock(mutex);
    over = true;
    waiting.clear();
  }
  if (!asked) events.on_end(why_it_ended(end));
}

void StdioLink::State::bring_down() {
  const Clock::time_point begun = Clock::now();
  process.close_input();
  const auto gone_before = [this](Clock::time_point limit) {
    while (!process.ended() && Clock::now() < limit) {
      wait_for_news(milliseconds(10));
      output_open = output_open && process.drain([](std::string_view) {});
      process.drain_errors([this](std::string_view bytes) { hear_error(bytes); });
    }
    return process.ended().has_value();
  };
  if (gone_before(begun + kPolite)) return;
  process.stop(stop_grace);
  if (gone_before(begun + kPatience)) return;
  process.kill_supervisor();
  gone_before(Clock::now() + milliseconds(500));
}

StdioFraming line_framing() {
  const auto splitter = std::make_shared<LineSplitter>(largest_message);
  return {.feed = [splitter](std::string_view bytes,
                             const LineSplitter::Lines& messages) { splitter->feed(bytes, messages); },
          .frame = [](const std::string& message) { return message + '\n'; }};
}

StdioLink::StdioLink(ProcessSpec spec, StdioFraming framing) : state_(std::make_unique<State>()) {
  state_->framing = std::move(framing);
  state_->spec = std::move(spec);
  state_->spec.two_way = true;
}

StdioLink::~StdioLink() {
  close();
  if (state_->thread.joinable()) state_->thread.join();
}

std::string StdioLink::open(LinkEvents events) {
  state_->events = std::move(events);
  if (std::string why = state_->process.start(state_->spec); !why.empty()) return why;
  state_->thread = std::thread([state = state_.get()] { state->serve(); });
  return {};
}

std::string StdioLink::send(const Outgoing& message, std::stop_token) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->over || state_->closing) return "the server is gone";
    if (state_->waiting.size() + message.text.size() > kMostWaiting)
      return "the server does not read what it is sent";
    state_->waiting += state_->framing.frame(message.text);
  }
  state_->ring();
  return {};
}

void StdioLink::close() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->closing = true;
  }
  state_->ring();
}

std::string StdioLink::last_words() const {
  const std::lock_guard lock(state_->mutex);
  const std::size_t from = state_->errors.size() > kLastWords ? state_->errors.size() - kLastWords : 0;
  return valid_utf8(state_->errors.substr(from));
}

}  // namespace tern
