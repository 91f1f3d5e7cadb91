#include "tools/exec/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "tools/exec/command_limits.h"
#include "tools/exec/command_start.h"
#include "tools/exec/pipe_wire.h"
#include "tools/exec/process_tree.h"
#include "tools/sandbox/kept_namespaces.h"
#include "tools/sandbox/sandbox.h"
#include "tools/sandbox/wall_watch.h"

namespace tern {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::uint32_t kLargestRequest = 64u << 20;

void take_field(CommandRequest& request, const std::string& key, const std::string& value) {
  const auto number = [&] { return std::strtol(value.c_str(), nullptr, 10); };
  if (key == "arg")
    request.argv.push_back(value);
  else if (key == "env")
    request.env.push_back(value);
  else if (key == "cwd")
    request.cwd = value;
  else if (key == "linger")
    request.linger = milliseconds(number());
  else if (key == "grace")
    request.grace = milliseconds(number());
  else if (key == "processes")
    request.max_processes = static_cast<int>(number());
  else if (key == "files")
    request.open_files = number();
  else if (key == "report_cwd")
    request.report_cwd = true;
  else if (key == "two_way")
    request.two_way = true;
  else if (key == "stay")
    request.stay = true;
  else if (key == "sandbox")
    request.sandbox.on = true, request.sandbox.rung = static_cast<SandboxRung>(number());
  else if (key == "own_processes")
    request.sandbox.own_processes = true;
  else if (key == "network")
    request.sandbox.network = true;
  else if (key == "notices")
    request.sandbox.notices = static_cast<Notices>(number());
  else if (key == "writable")
    request.sandbox.writable.emplace_back(value);
  else if (key == "read_only")
    request.sandbox.read_only.emplace_back(value);
  else if (key == "hidden")
    request.sandbox.hidden.emplace_back(value);
  else if (key == "temp")
    request.sandbox.temp = value;
}

bool read_request(CommandRequest& request) {
  static constexpr int streams[] = {1, input_descriptor, errors_descriptor};
  std::uint32_t length = 0;
  do
    if (!receive_head(0, length, streams)) return false;
  while ((length & stop_order) != 0);  // it came when the command before had just ended
  if (length > kLargestRequest) return false;
  std::string payload(length, '\0');
  if (!read_exactly(0, payload.data(), payload.size())) return false;
  for (const auto& [key, value] : unpack_fields(payload)) take_field(request, key, value);
  return !request.argv.empty();
}

class Watch {
 public:
  Watch(const CommandRequest& request, KeptNamespaces& kept)
      : request_(request), kept_(kept), stand_ins_(request.sandbox), walls_(request.sandbox) {}
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() {
    for (int fd : {signals_, cwd_})
      if (fd >= 0) ::close(fd);
    ::sigprocmask(SIG_UNBLOCK, &blocked_, nullptr);  // who waits for a command may be ended by any signal
  }

  int run() {
    open_signals();
    if (!start()) return report(126);
    wait_for_end();
    bring_down();
    return report(status_);
  }

  // Nothing of this command is left that could touch the next one.
  bool spotless() const {
    return request_.stay && alone_ && shell_gone_ && !stop_ && owner_ && strays_ == 0 && error_.empty();
  }

 private:
  void open_signals() {
    sigemptyset(&blocked_);
    for (int s : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGTSTP,
                  SIGTTIN, SIGTTOU})
      sigaddset(&blocked_, s);
    ::sigprocmask(SIG_BLOCK, &blocked_, nullptr);
    signals_ = ::signalfd(-1, &blocked_, SFD_CLOEXEC | SFD_NONBLOCK);
    tasks_at_start_ = tasks_in_system();
  }

  bool start() {
    int errors[2], cwd[2] = {-1, -1};
    if (::pipe2(errors, O_CLOEXEC) != 0 || (request_.report_cwd && ::pipe2(cwd, O_CLOEXEC) != 0)) {
      error_ = failure("cannot make a pipe");
      return false;
    }
    shell_ = start_command(request_, kept_, errors[1], cwd[1], walls_.open_channel());
    if (shell_ < 0) error_ = failure("cannot start a process");
    ::close(errors[1]);
    if (cwd[1] >= 0) ::close(cwd[1]);
    cwd_ = cwd[0];
    char text[1024];
    for (ssize_t got;
         shell_ > 0 && ((got = ::read(errors[0], text, sizeof text)) > 0 || (got < 0 && errno == EINTR));)
      if (got > 0) error_.append(text, static_cast<std::size_t>(got));
    ::close(errors[0]);
    if (!error_.empty() && shell_ > 0) ::waitpid(shell_, nullptr, 0);
    if (shell_ > 0 && error_.empty()) kept_.hold(shell_, request_.sandbox);
    walls_.take_listener();
    if (request_.two_way) let_go_of_streams();
    return error_.empty();
  }

  // So that whoever talks to the command sees when it closes them.
  static void let_go_of_streams() {
    const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(null, 1);
    ::close(null);
    ::close(input_descriptor);
    ::close(errors_descriptor);
  }

  // Takes in everything that happened; waits for it at most `patience`.
  void attend(milliseconds patience) {
    pollfd fds[3] = {{signals_, POLLIN, 0}, {owner_ ? 0 : -1, POLLIN, 0}, {walls_.listener(), POLLIN, 0}};
    ::poll(fds, 3, static_cast<int>(patience.count()));
    if (fds[2].revents != 0) walls_.attend(fds[2].revents);
    signalfd_siginfo info;
    while (::read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info))
      if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT || info.ssi_signo == SIGHUP)
        order(request_.grace);
    if (owner_ && fds[1].revents != 0) take_order();
    reap();
  }

  void take_order() {
    std::uint32_t grace = 0;
    if (read_exactly(0, reinterpret_cast<char*>(&grace), sizeof grace))
      return order(milliseconds(grace & ~stop_order));
    owner_ = false;  // whoever started us is gone: nobody waits for manners
    order(orphan_grace);
  }

  void order(milliseconds grace) {
    stop_ = true;
    grace_ = std::min(grace_, grace);
  }

  void reap() {
    for (;;) {
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, WNOHANG);
      if (pid == shell_) {
        shell_gone_ = true;
        signal_ = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        status_ = WIFSIGNALED(status) ? 128 + signal_ : WEXITSTATUS(status);
      }
      if (pid > 0) continue;
      alone_ = pid < 0 && errno == ECHILD;
      return;
    }
  }

  // Wakes while the command runs only to see whether it multiplies: one short read each time.
  void wait_for_end() {
    const Clock::time_point begun = Clock::now();
    for (reap(); !shell_gone_ && !stop_;) {
      attend(milliseconds(Clock::now() - begun < std::chrono::seconds(5) ? 50 : 250));
      if (tasks_in_system() - tasks_at_start_ >= request_.max_processes / 2) count_them();
    }
  }

  // Everything stands still for the count: among thousands that fork, the one who counts would hardly get to
  // run.
  void count_them() {
    ::kill(-shell_, SIGSTOP);
    const int count = count_descendants();
    if (count <= request_.max_processes) {
      tasks_at_start_ += count / 2;  // so many are fine: look again only when there are more
      ::kill(-shell_, SIGCONT);
      return;
    }
    error_ = "ended: it had started more than " + std::to_string(request_.max_processes) + " processes";
    order(milliseconds(0));
    signal_descendants(SIGKILL, shell_);
  }

  bool quiet_before(Clock::time_point limit, milliseconds step) {
    while (!alone_ && Clock::now() < limit) {
      const auto left = std::chrono::duration_cast<milliseconds>(limit - Clock::now()) + milliseconds(1);
      attend(std::min(step, left));
    }
    return alone_;
  }

  void bring_down() {
    const Clock::time_point limit = Clock::now() + request_.linger;
    while (!stop_ && !alone_ && Clock::now() < limit) attend(milliseconds(10));
    if (alone_) return;
    // In a process namespace two more belong to the command itself (see sandbox_processes.cpp), and one stays
    // to the end.
    const bool own = request_.sandbox.on && request_.sandbox.own_processes;
    strays_ = std::max(0, count_descendants() - (shell_gone_ ? own : own ? 3 : 1));
    const auto grace = [this] {
      return stop_ ? grace_ : request_.grace;
    };  // a later order may leave less of it
    if (grace().count() > 0) {
      signal_descendants(SIGTERM, shell_);
      signal_descendants(SIGCONT, shell_);
      const Clock::time_point told = Clock::now();
      while (!alone_ && Clock::now() < told + grace()) attend(milliseconds(20));
      if (alone_) return;
    }
    for (int round = 0; round < 250 && !alone_; ++round) {
      signal_descendants(SIGKILL, shell_);
      quiet_before(Clock::now() + milliseconds(round < 5 ? 4 : 20), milliseconds(4));
    }
    if (!alone_)
      error_ = std::to_string(count_descendants()) + " processes could not be ended (waiting in the kernel)";
  }

  std::string read_cwd() {
    std::string path;
    if (cwd_ < 0) return path;
    ::fcntl(cwd_, F_SETFL, O_NONBLOCK);
    char text[4200];
    const ssize_t got = ::read(cwd_, text, sizeof text);
    if (got > 0) path.assign(text, static_cast<std::size_t>(got));
    while (!path.empty() && path.back() == '\n') path.pop_back();
    return path;
  }

  int report(int status) {
    const std::string moved = stand_ins_.remove();
    if (!moved.empty()) error_ += (error_.empty() ? "" : "; ") + moved;
    Fields fields{{"status", std::to_string(status)},
                  {"signal", std::to_string(signal_)},
                  {"strays", std::to_string(strays_)}};
    if (stop_) fields.emplace_back("stopped", "1");
    if (spotless()) fields.emplace_back("stays", "1");
    if (!error_.empty()) fields.emplace_back("error", error_);
    if (walls_.watched()) fields.emplace_back("watched", "1");
    for (const WallHit& hit : walls_.hits())
      fields.emplace_back(hit.kind == WallHit::Kind::write ? "wall_write" : "wall_connect", hit.target);
    if (const std::string path = read_cwd(); !path.empty()) fields.emplace_back("cwd", path);
    write_all(2, pack_fields(fields));
    return status & 0xff;
  }

  const CommandRequest& request_;
  KeptNamespaces& kept_;
  StandIns stand_ins_;
  WallWatch walls_;
  sigset_t blocked_{};
  pid_t shell_ = -1;
  int signals_ = -1, cwd_ = -1, status_ = 0, signal_ = 0, strays_ = 0;
  long tasks_at_start_ = 0;
  bool shell_gone_ = false, alone_ = false, stop_ = false, owner_ = true;
  milliseconds grace_{10000};
  std::string error_;
};

}  // namespace

int supervise_main(int, char**) {
  ::setsid();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::syscall(__NR_close_range, 3u, ~0u,
            4u /* CLOSE_RANGE_CLOEXEC: reproc's exit descriptor stays ours alone */);
  KeptNamespaces kept;
  for (;;) {
    CommandRequest request;
    if (!read_request(request)) return 0;
    Watch watch(request, kept);
    const int status = watch.run();
    kept.let_mounts_go();
    if (!watch.spotless()) return status;
    const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null < 0 || ::dup2(null, 1) < 0) return status;  // the output was that command's
    ::close(null);
  }
}

}  // namespace tern
