#include "tools/exec/process.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <fstream>
#include <set>
#include <thread>

#include "tests/support/commands.h"
#include "tests/support/sanitized.h"
#include "tools/exec/process_tree.h"

using namespace tern;
using namespace tern::test;
using std::chrono::milliseconds;

namespace {

int open_descriptors() {
  int count = 0;
  DIR* directory = ::opendir("/proc/self/fd");
  while (::readdir(directory) != nullptr) ++count;
  ::closedir(directory);
  return count;
}

// Polls a condition of the world outside this process, without sleeping for a fixed time.
template <typename Condition>
bool soon(Condition condition, milliseconds limit = std::chrono::seconds(5)) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    ::poll(nullptr, 0, 5);
  }
  return true;
}

// What a run promises to do within a second must take no longer of its own accord; a busy machine may have to
// be asked again.
template <typename Run>
auto within_a_second(Run run) {
  auto ran = run();
  constexpr std::chrono::seconds limit(test::slower);
  for (int again = 0; again < 20 && ran.took > limit; ++again) ran = run();
  CHECK(ran.took <= limit);
  return ran;
}

// The run of a command that is told to end at its first output. `took` counts from there.
CommandRan stopped_run(const std::string& command) {
  CommandRan ran;
  Process process;
  OutputRing output;
  std::stop_source stop;
  auto told = std::chrono::steady_clock::now();
  ran.error = process.start(shell_spec(command, "/tmp"));
  if (!ran.error.empty()) return ran;
  FollowLimits limits;
  limits.time = limits.leave = std::chrono::seconds(60);
  ran.end = follow(process, output, limits, stop.get_token(), [&](std::string_view) {
              if (stop.request_stop()) told = std::chrono::steady_clock::now();
            }).end;
  ran.took = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - told);
  return ran;
}

bool alive(pid_t pid) { return ::kill(pid, 0) == 0; }

char state_of(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name;
  char state = 0;
  in >> number >> name >> state;
  return state;
}

pid_t read_pid(const std::filesystem::path& file) {
  pid_t pid = 0;
  std::ifstream(file) >> pid;
  return pid;
}

}  // namespace

TEST_CASE("a command's output, status and order") {
  const CommandRan ran = run_command("echo one; echo two >&2; echo three; exit 7");
  CHECK(ran.error.empty());
  CHECK(ran.text == "one\ntwo\nthree\n");
  CHECK(ran.end.status == 7);
  CHECK(ran.end.signal == 0);
  CHECK(ran.end.strays == 0);
  const CommandRan killed = run_command("kill -9 $$");
  CHECK(killed.end.signal == 9);
  CHECK(killed.end.status == 137);
  CHECK(run_command("exit 137").end.signal == 0);
}

TEST_CASE("a command sees no terminal, no input, three descriptors and no secrets") {
  ::setenv("TERN_TEST_API_KEY", "sk-secret", 1);
  std::vector<std::string> planted;
  for (const char* whose :
       {"AWS", "GITHUB", "OPENAI", "ANTHROPIC", "NPM", "DB", "VAULT", "SLACK", "STRIPE", "CI_JOB"})
    for (const char* kind : {"_TOKEN", "_SECRET", "_PASSWORD", "_PRIVATE_KEY"})
      planted.push_back(std::string(whose) + kind);
  for (const std::string& name : planted) ::setenv(name.c_str(), "sk-secret", 1);
  ::setenv("LD_TEST", "x", 1);
  const CommandRan ran = run_command(
      "cat; read x || echo no-input; ls /proc/self/fd | wc -l; env; (: < /dev/tty) 2>/dev/null || echo "
      "no-tty; tty");
  for (const std::string& name : planted) ::unsetenv(name.c_str());
  CHECK(planted.size() == 40);
  CHECK(ran.text.find("no-input") != std::string::npos);
  CHECK(ran.text.find("no-tty") != std::string::npos);
  CHECK(ran.text.find("not a tty") != std::string::npos);
  CHECK(ran.text.find("\n4\n") != std::string::npos);  // 0, 1, 2 and the directory ls itself reads
  CHECK(ran.text.find("sk-secret") == std::string::npos);
  CHECK(ran.text.find("LD_TEST") == std::string::npos);
  CHECK(ran.text.find("GIT_TERMINAL_PROMPT=0") != std::string::npos);
}

TEST_CASE("what cannot be started is said, and what it was") {
  ProcessSpec spec = shell_spec("true", "/nowhere/at/all");
  CHECK(run_spec(spec).error.find("/nowhere/at/all") != std::string::npos);
  spec = shell_spec("true", "/tmp");
  spec.argv = {"no-such-program-here"};
  const CommandRan missing = run_spec(spec);
  CHECK(missing.end.status == 126);
  CHECK(missing.end.error.find("cannot run no-such-program-here: No such file") != std::string::npos);
  spec.argv = {"/bin/bash", "-c", std::string("echo a\0b", 8)};
  CHECK(run_spec(spec).error.find("NUL") != std::string::npos);
  spec.argv = {"/bin/bash", "-c", std::string(200 * 1024, 'x')};
  CHECK(run_spec(spec).error.find("128 KB") != std::string::npos);
}

namespace {

std::vector<std::string> background_forms(const std::string& marker) {
  return {
      marker + " &",
      "nohup " + marker + " >/dev/null 2>&1 &",
      marker + " & disown",
      "setsid " + marker + " &",
      "(" + marker + " &)",
      "( ( " + marker + " & ) & )",
      "setsid setsid " + marker + " </dev/null >/dev/null 2>&1 &",
      "coproc " + marker,
      "bash -c '" + marker + " & exec true' &",
      "exec 5> >(" + marker + ")",
      "(trap '' TERM; " + marker + ") &",
      "(trap '' TERM HUP INT; setsid bash -c \"trap '' TERM; while :; do " + marker + "; done\" &)",
  };
}

std::string left_of(const std::string& marker) {
  return run_command("pgrep -f '^" + marker + "' || echo none").text;
}

}  // namespace

TEST_CASE("twelve ways into the background, none outlives the command") {
  const std::string marker = "sleep 7654" + std::to_string(::getpid());
  for (const std::string& form : background_forms(marker)) {
    INFO(form);
    const CommandRan ran = within_a_second([&] { return run_command(form + "\necho done"); });
    CHECK(ran.text.find("done") != std::string::npos);
    CHECK(ran.end.strays > 0);
    CHECK(left_of(marker) == "none\n");
  }
}

TEST_CASE("twelve ways into the background, none outlives a stop by a second") {
  const std::string marker = "sleep 6543" + std::to_string(::getpid());
  for (const std::string& form : background_forms(marker)) {
    INFO(form);
    const CommandRan ran = within_a_second(
        [&] { return stopped_run("trap '' TERM; " + form + "\necho up; " + marker + "; " + marker); });
    CHECK(ran.end.stopped);
    CHECK(ran.end.error.empty());
    CHECK(left_of(marker) == "none\n");
  }
}

TEST_CASE("short background work may still finish") {
  const CommandRan ran = run_command("(sleep 0.03; echo late) & echo early");
  CHECK(ran.text == "early\nlate\n");
  CHECK(ran.end.strays == 0);
}

TEST_CASE("stopping ends stubborn trees in time") {
  const char* stubborn[] = {
      "yes", "trap '' TERM INT HUP; echo up; while :; do :; done", "echo up; kill -STOP $$",
      "trap '' TERM; setsid bash -c 'trap \"\" TERM; sleep 999' & echo up; wait; sleep 999"};
  for (const char* command : stubborn) {
    INFO(command);
    const CommandRan ran = within_a_second([&] { return stopped_run(command); });
    CHECK(ran.end.stopped);
    CHECK(ran.end.error.empty());
  }
}

// A bomb with a bound of its own, so that a mistake here cannot take the machine with it.
TEST_CASE("what multiplies without end is ended") {
  ProcessSpec spec = shell_spec("for i in {1..400}; do sleep 30 & done; wait", "/tmp");
  spec.max_processes = 150;
  const CommandRan ran = run_spec(spec);
  CHECK(ran.took < std::chrono::seconds(8 * test::slower));
  CHECK(ran.end.error.find("more than 150 processes") != std::string::npos);
  CHECK(run_command("echo next").text == "next\n");
}

// TERN_BOMB=1 takes the real one, which nothing but us would end; else each doubles, and dies out after ten
// generations.
TEST_CASE("a fork bomb is ended with all that it became, and the next command works") {
  const std::string marker = "sleep 3" + std::to_string(::getpid());
  const bool real = std::getenv("TERN_BOMB") != nullptr;
  ProcessSpec spec = shell_spec(
      real ? ":(){ :|:& };:; " + marker
           : "b() { [ $1 -gt 0 ] && { b $(($1-1)) | b $(($1-1)) & }; exec " + marker + "; }; b 9; " + marker,
      "/tmp");
  spec.max_processes = real ? 1000 : 200;
  const CommandRan ran = run_spec(spec);
  CHECK(ran.took < std::chrono::seconds(8 * test::slower));  // half a second on a quiet machine
  CHECK(ran.end.error.find("more than " + std::to_string(spec.max_processes) + " processes") !=
        std::string::npos);
  CHECK(run_command("pgrep -f '^" + marker + "' || echo none").text == "none\n");
  if (real) WARN("gone after " << ran.took.count() << " ms");
}

TEST_CASE("output of any size is taken in, counted and kept at both ends") {
  const CommandRan ran =
      run_command("echo first; head -c 30000000 /dev/zero | tr '\\0' 'x'; echo; echo last");
  CHECK(ran.text.rfind("first\n", 0) == 0);
  CHECK(ran.text.find("not shown here") != std::string::npos);
  CHECK(ran.text.substr(ran.text.size() - 5) == "last\n");
  CHECK(ran.text.size() < 600 * 1024);
}

// TERN_FLOOD_MB=10000 makes it the 10 GB of the promise and shows how fast it went.
TEST_CASE("a flood without a line end does not grow us") {
  const char* asked = std::getenv("TERN_FLOOD_MB");
  const long megabytes = asked != nullptr ? std::atol(asked) : 200;
  rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  const CommandRan ran = run_spec(shell_spec("head -c " + std::to_string(megabytes) + "M /dev/zero", "/tmp"),
                                  std::chrono::minutes(10));
  ::getrusage(RUSAGE_SELF, &after);
  CHECK(ran.error.empty());
  CHECK(ran.end.status == 0);
  const long grown = after.ru_maxrss - before.ru_maxrss;
  CHECK(grown <= 32 * 1024);
  if (asked != nullptr)
    WARN(megabytes << " MB in " << ran.took.count() << " ms, "
                   << megabytes * 1000 / std::max<long>(1, ran.took.count()) << " MB/s, memory grew by "
                   << grown << " KB");
}

TEST_CASE("many commands leave no descriptor, no zombie and no blocked signal behind") {
  run_command("true");
  cool_supervisor();
  sigset_t before, after;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
  const int descriptors = open_descriptors();
  std::set<pid_t> others;  // of tests before this one: a probe of the sandbox leaves us a child
  for (const ProcessEntry& child : children_of(::getpid())) others.insert(child.pid);
  const char* rounds = std::getenv("TERN_ROUNDS");  // a thousand at night
  for (int i = 0; i < (rounds == nullptr ? 100 : std::atoi(rounds)); ++i)
    REQUIRE(run_command(i % 3 == 0 ? "exit 1" : "true").error.empty());
  cool_supervisor();
  CHECK(open_descriptors() == descriptors);
  for (const ProcessEntry& child : children_of(::getpid())) CHECK(others.contains(child.pid));
  ::pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int s = 1; s < 32; ++s) CHECK(::sigismember(&before, s) == ::sigismember(&after, s));
}

TEST_CASE("a fork that fails is an error, and signals stay open") {
  cool_supervisor();  // a warm one needs no fork
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  std::vector<int> taken;
  for (int fd; (fd = ::dup(0)) >= 0;) taken.push_back(fd);  // no descriptor left
  const CommandRan ran = run_command("true");
  for (int fd : taken) ::close(fd);
  CHECK_FALSE(ran.error.empty());
  sigset_t now;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &now);
  CHECK(::sigismember(&now, SIGINT) == 0);
  CHECK(run_command("echo again").text == "again\n");
}

TEST_CASE("a warm supervisor takes the next command, a dead one is replaced") {
  run_command("true");
  warm_supervisor();
  CHECK(run_command("echo warm").text == "warm\n");
  warm_supervisor();
  run_command("pkill -9 -P " + std::to_string(::getpid()) + " -f -- --supervise; true");
  CHECK(run_command("echo on").text == "on\n");
  cool_supervisor();
}

TEST_CASE("one supervisor serves command after command, each with its own output") {
  cool_supervisor();
  const auto parent = [](const char* command) {
    return run_command(std::string(command) + "echo $PPID").text;
  };
  const std::string first = parent("");
  CHECK(parent("") == first);
  CHECK(parent("exec 2>&-; ") == first);
  ::kill(std::stoi(first), SIGTERM);  // while it waits for the next
  REQUIRE(soon([&] { return state_of(std::stoi(first)) == 'Z'; }));
  const std::string second = parent("");
  CHECK(second != first);
  run_command("sleep 9 &");  // left something behind: it goes with it
  CHECK(parent("") != second);
  cool_supervisor();
}

TEST_CASE("a command that kills its own supervisor takes nothing with it but itself") {
  TempDir temp;
  const CommandRan ran = run_command("(setsid sleep 4321 & echo $! > " + (temp.path() / "pid").string() +
                                     "); kill -9 $PPID; sleep 5");
  CHECK(ran.end.error.find("supervisor") != std::string::npos);
  const pid_t pid = read_pid(temp.path() / "pid");
  REQUIRE(pid > 0);
  CHECK(soon([&] { return !alive(pid); }));
}

TEST_CASE("what it left in a session and an environment of its own is ended, our other children stay") {
  TempDir temp;
  const std::string file = (temp.path() / "pid").string();
  const pid_t other = ::fork();
  if (other == 0) {
    ::pause();
    ::_exit(0);
  }
  const CommandRan ran =
      run_command("(env -i setsid sh -c '(sleep 4322 & echo $! > " + file + "; wait)' &); until [ -s " +
                  file + " ]; do :; done; kill -9 $PPID; sleep 5");
  pid_t left = 0;
  std::ifstream(file) >> left;
  REQUIRE(left > 0);
  CHECK(::kill(left, 0) != 0);  // not even a zombie
  CHECK(ran.end.error.find("supervisor of this command was killed") != std::string::npos);
  CHECK(::waitpid(other, nullptr, WNOHANG) == 0);
  ::kill(other, SIGKILL);
  CHECK(::waitpid(other, nullptr, 0) == other);
}

TEST_CASE("a second after the owner is killed, its commands are gone") {
  const std::string marker = "sleep 8765" + std::to_string(::getpid());
  shell_spec("", "/tmp");
  const auto round = [&] {
    TempDir temp;
    const auto file = temp.path() / "pid", own = temp.path() / "own";
    cool_supervisor();  // never one for two owners
    const pid_t owner = ::fork();
    if (owner == 0) {
      Process process;
      process.start(shell_spec("trap '' TERM; setsid " + marker + " & echo $! > " + file.string() +
                                   "; echo $$ > " + own.string() + "; exec " + marker,
                               "/tmp"));
      for (;;) ::poll(nullptr, 0, 1000);
    }
    REQUIRE(soon([&] { return read_pid(file) > 0 && read_pid(own) > 0; }, std::chrono::seconds(60)));
    const pid_t child = read_pid(file), shell = read_pid(own);
    CHECK((alive(child) && alive(shell)));
    const auto begun = std::chrono::steady_clock::now();
    ::kill(owner, SIGKILL);
    CHECK(soon([&] { return !alive(child) && !alive(shell); }, std::chrono::seconds(60)));
    CommandRan ran;
    ran.took = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begun);
    ::waitpid(owner, nullptr, 0);
    return ran;
  };
  within_a_second(round);
  CHECK(left_of(marker) == "none\n");
}

TEST_CASE("the command gets its own descriptor limit back") {
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const CommandRan ran = run_command("ulimit -n");
  CHECK(std::stol(ran.text) >= static_cast<long>(before.rlim_cur));
}
