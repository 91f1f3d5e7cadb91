// The one owner of reproc. What it is used for: fork, streams, exec of our own supervisor, and a wait that is
// exact because the supervisor alone keeps reproc's exit descriptor. What it is not used for: killing trees,
// which it cannot.
#include "tools/exec/process.h"

#include <fcntl.h>
#include <poll.h>
#include <reproc/reproc.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <span>
#include <thread>

#include "tools/exec/command_streams.h"
#include "tools/exec/orphans.h"
#include "tools/exec/pipe_wire.h"
#include "tools/exec/process_request.h"
#include "tools/exec/process_tree.h"

namespace tern {

namespace {

using std::chrono::milliseconds;

void close_fd(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

// What a lost supervisor left: found by the environment, and among what this process has had to adopt.
int end_left_behind(const std::string& cookie, unsigned long long since) {
  return kill_by_cookie(cookie) + end_orphans(since);
}

// A supervisor that waits for its request, with our ends of its three streams.
struct Supervisor {
  reproc_t* process = nullptr;
  int pid = -1;
  int orders = -1, output = -1, news = -1;

  Supervisor() = default;
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;
  ~Supervisor() { release(); }

  bool left(int patience) {
    if (process == nullptr || reproc_wait(process, patience) == REPROC_ETIMEDOUT) return process == nullptr;
    forget();
    return true;
  }

  void close_all() {
    close_fd(orders);
    close_fd(output);
    close_fd(news);
  }

  void release() {
    close_all();
    if (process == nullptr) return;
    // Without orders it kills its tree and leaves; only one that does not answer is killed itself.
    if (reproc_wait(process, 1500) == REPROC_ETIMEDOUT) reproc_kill(process), reproc_wait(process, 1500);
    forget();
  }

  void forget() {
    reproc_destroy(process);
    process = nullptr;
    forget_own(pid);
  }
};

// reproc leaves every signal blocked when fork fails.
class KeepSignalMask {
 public:
  KeepSignalMask() { ::pthread_sigmask(SIG_SETMASK, nullptr, &mask_); }
  ~KeepSignalMask() { ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr); }

 private:
  sigset_t mask_;
};

// Never destroyed: at exit the kernel closes the descriptors, and supervisors leave by themselves when that
// happens.
struct Shared {
  std::mutex mutex;  // also keeps forks from seeing each other's descriptors
  std::condition_variable changed;
  std::string supervisor_path = "/proc/self/exe";
  std::vector<std::unique_ptr<Supervisor>> spares;
  std::size_t most_spares = 1;
  std::mutex
      leaving_mutex;  // its own: who ends a command must not wait for the next supervisor to be started
  std::vector<std::unique_ptr<Supervisor>> leaving;  // have said everything and are about to exit
  rlim_t files_before = 0;
  int warming = 0;
};

Shared& shared() {
  static Shared* const state = new Shared;
  return *state;
}

void reap_leaving(int patience) {
  const std::lock_guard lock(shared().leaving_mutex);
  auto& list = shared().leaving;
  list.erase(std::remove_if(list.begin(), list.end(), [&](const auto& s) { return s->left(patience); }),
             list.end());
}

// reproc closes every possible descriptor one by one in each child, so their number is kept small here; the
// command gets its own limit back from the supervisor.
void limit_descriptors() {
  rlimit limit{};
  rlim_t& files_before = shared().files_before;
  if (files_before != 0 || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  files_before = limit.rlim_cur;
  if (limit.rlim_cur <= 1024) return;
  limit.rlim_cur = 1024;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

reproc_redirect handle(int fd) {
  reproc_redirect redirect{};
  redirect.type = REPROC_REDIRECT_HANDLE;
  redirect.handle = fd;
  return redirect;
}

int launch(Supervisor& s, int orders, int output, int news) {
  static const char* const no_env[] = {nullptr};
  const char* const argv[] = {shared().supervisor_path.c_str(), "--supervise", nullptr};
  reproc_options options{};
  options.working_directory = "/";
  options.env.behavior = REPROC_ENV_EMPTY;
  options.env.extra = no_env;
  options.redirect.in = handle(orders);
  options.redirect.out = handle(output);
  options.redirect.err = handle(news);
  s.process = reproc_new();
  if (s.process == nullptr) return -ENOMEM;
  const KeepSignalMask keep;
  const int result = s.pid = start_own([&] {
    const int error = reproc_start(s.process, argv, options);
    return error < 0 ? error : reproc_pid(s.process);
  });
  if (result >= 0) return 0;
  reproc_destroy(s.process);
  s.process = nullptr;
  return result;
}

std::unique_ptr<Supervisor> start_supervisor(std::string& error) {
  limit_descriptors();
  auto s = std::make_unique<Supervisor>();
  int orders[2] = {-1, -1}, output[2] = {-1, -1}, news[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, orders) != 0 || ::pipe2(output, O_CLOEXEC) != 0 ||
      ::pipe2(news, O_CLOEXEC) != 0)
    error = reason("cannot make a pipe", errno);
  s->orders = orders[0], s->output = output[0], s->news = news[0];
  if (error.empty()) {
    tune_output(output[0]);
    ::fcntl(news[0], F_SETFL, O_NONBLOCK);
    const int result = launch(*s, orders[1], output[1], news[1]);
    const bool no_proc = result == -ENOENT && ::access("/proc/self/exe", F_OK) != 0;
    if (result < 0)
      error = no_proc ? "cannot start a process: /proc is not mounted"
                      : reason("cannot start a process", -result);
  }
  for (int fd : {orders[1], output[1], news[1]})
    if (fd >= 0) ::close(fd);
  if (!error.empty()) s.reset();
  return s;
}

std::unique_ptr<Supervisor> take_supervisor(std::string& error) {
  const std::lock_guard lock(shared().mutex);
  reap_leaving(0);
  auto& spares = shared().spares;
  while (!spares.empty()) {
    auto spare = std::move(spares.back());
    spares.pop_back();
    pollfd gone{spare->news, POLLIN, 0};
    if (::poll(&gone, 1, 0) == 0) return spare;
  }
  return start_supervisor(error);
}

// The next output of a supervisor that stayed. Gives its writing end, to go along with the request.
int renew_output(Supervisor& s, std::string& error) {
  int output[2] = {-1, -1};
  if (::pipe2(output, O_CLOEXEC) != 0) {
    error = reason("cannot make a pipe", errno);
    return -1;
  }
  tune_output(output[0]);
  s.output = output[0];
  return output[1];
}

// Whoever holds the mutex is starting one: then there is no need of this one, nor time to wait.
bool keep_for_next(std::unique_ptr<Supervisor>& s) {
  const std::unique_lock lock(shared().mutex, std::try_to_lock);
  if (!lock || shared().spares.size() >= shared().most_spares) return false;
  close_fd(s->output);
  shared().spares.push_back(std::move(s));
  return true;
}

}  // namespace

struct Process::State {
  std::unique_ptr<Supervisor> supervisor;
  CommandStreams streams;  // of a two-way command
  std::string news, cookie;
  unsigned long long begun = now_in_ticks();
  std::optional<ProcessEnd> end;
  bool output_open = true, stopped = false, stays = false;

  ~State() {
    if (!supervisor) return;
    if (end) {
      if (stays && keep_for_next(supervisor)) return;
      supervisor->close_all();
      const std::lock_guard lock(shared().leaving_mutex);
      shared().leaving.push_back(std::move(supervisor));
      return;
    }
    supervisor.reset();
    if (news.empty()) end_left_behind(cookie, begun);
  }
  bool told() const {
    std::uint32_t length = 0;
    if (news.size() < sizeof length) return false;
    std::memcpy(&length, news.data(), sizeof length);
    return news.size() - sizeof length >= length;
  }
  void read_news();
  ProcessEnd judge(int status);
};

// True end of file on `news` means that the supervisor is gone.
void Process::State::read_news() {
  char text[4096];
  for (;;) {
    const ssize_t got = ::read(supervisor->news, text, sizeof text);
    if (got > 0)
      news.append(text, static_cast<std::size_t>(got));
    else if (got == 0 || errno != EINTR) {
      if (got == 0) close_fd(supervisor->news);
      return;
    }
  }
}

ProcessEnd Process::State::judge(int status) {
  ProcessEnd result;
  result.status = status;
  result.stopped = stopped;
  if (news.size() < sizeof(std::uint32_t)) {
    const int killed = end_left_behind(cookie, begun);
    result.error = "the supervisor of this command was killed (status " + std::to_string(status) + "); " +
                   std::to_string(killed) + " processes of it were ended";
    return result;
  }
  bool may_stay = false;
  take_end(std::string_view(news).substr(sizeof(std::uint32_t)), result, may_stay);
  stays = may_stay && !stopped;
  return result;
}

Process::Process() : state_(std::make_unique<State>()) {}
Process::Process(Process&&) noexcept = default;
Process& Process::operator=(Process&&) noexcept = default;
Process::~Process() = default;

std::string Process::start(const ProcessSpec& spec) {
  std::string error = why_unusable(spec);
  if (!error.empty()) return error;
  state_ = std::make_unique<State>();
  state_->supervisor = take_supervisor(error);
  if (!error.empty()) return error;
  state_->cookie = random_cookie();
  Supervisor& supervisor = *state_->supervisor;
  const std::string request = pack_fields(request_of(spec, state_->cookie, shared().files_before));
  int theirs[3] = {-1, -1, -1};
  if (spec.two_way) close_fd(supervisor.output);  // the request brings all three
  if (supervisor.output < 0) theirs[0] = renew_output(supervisor, error);
  if (error.empty() && spec.two_way) error = state_->streams.open(theirs[1], theirs[2]);
  const std::size_t count = spec.two_way ? 3 : theirs[0] >= 0 ? 1 : 0;
  if (error.empty() && !send_request(supervisor.orders, request, std::span<const int>(theirs, count)))
    error = reason("the supervisor does not take the command", errno);
  for (int& fd : theirs) close_fd(fd);
  if (!error.empty()) state_->supervisor.reset();
  return error;
}

int Process::output_fd() const { return state_->supervisor ? state_->supervisor->output : -1; }
int Process::input_fd() const { return state_->streams.input; }
int Process::errors_fd() const { return state_->streams.errors; }
int Process::status_fd() const { return state_->supervisor ? state_->supervisor->news : -1; }
int Process::supervisor_pid() const {
  return state_->supervisor && state_->supervisor->process ? state_->supervisor->pid : -1;
}
bool Process::running() const { return state_ && state_->supervisor && !state_->end; }

bool Process::drain(const Sink& sink) {
  if (!state_->supervisor || !state_->output_open) return false;
  return state_->output_open = read_some(state_->supervisor->output, sink);
}

bool Process::drain_errors(const Sink& sink) { return state_->streams.drain_errors(sink); }
std::ptrdiff_t Process::write_input(std::string_view bytes) { return state_->streams.write(bytes); }
void Process::close_input() { state_->streams.close_input(); }

std::optional<ProcessEnd> Process::ended() {
  State& s = *state_;
  if (s.end || !s.supervisor) return s.end;
  if (s.supervisor->news >= 0) s.read_news();
  // The record is written when the tree is down; its writer need not be waited for.
  if (s.told()) return s.end = s.judge(0);
  if (s.supervisor->news >= 0) return std::nullopt;
  const int status = reproc_wait(s.supervisor->process, 200);
  if (status == REPROC_ETIMEDOUT) return std::nullopt;
  s.end = s.judge(status);
  return s.end;
}

void Process::stop(milliseconds grace) {
  if (!running()) return;
  state_->stopped = true;
  const auto wire = static_cast<std::uint32_t>(grace.count()) | stop_order;
  send_request(state_->supervisor->orders,
               std::string_view(reinterpret_cast<const char*>(&wire), sizeof wire), {});
}

void Process::kill_supervisor() {
  if (running()) reproc_kill(state_->supervisor->process);
}

void set_supervisor(std::filesystem::path executable) {
  const std::lock_guard lock(shared().mutex);
  shared().spares.clear();
  shared().supervisor_path = executable.empty() ? "/proc/self/exe" : executable.string();
}

void keep_supervisors(std::size_t count) {
  constexpr std::size_t most = 12;
  const std::lock_guard lock(shared().mutex);
  shared().most_spares = std::max(shared().most_spares, std::min(count, most));
}

void warm_supervisor() {
  const std::lock_guard lock(shared().mutex);
  std::string error;
  if (!shared().spares.empty()) return;
  if (auto spare = start_supervisor(error)) shared().spares.push_back(std::move(spare));
}

void warm_supervisor_soon() {
  {
    const std::lock_guard lock(shared().mutex);
    if (!shared().spares.empty() || shared().warming > 0) return;
    ++shared().warming;
  }
  std::thread([] {
    warm_supervisor();
    const std::lock_guard lock(shared().mutex);
    --shared().warming;
    shared().changed.notify_all();
  }).detach();
}

void cool_supervisor() {
  std::unique_lock lock(shared().mutex);
  shared().changed.wait(lock, [] { return shared().warming == 0; });
  for (const auto& spare : shared().spares) spare->close_all();  // they leave side by side
  shared().spares.clear();
  shared().most_spares = 1;
  reap_leaving(1500);
}

}  // namespace tern
