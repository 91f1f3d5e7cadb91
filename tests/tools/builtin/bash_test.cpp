#include <poll.h>

#include <catch2/catch_test_macros.hpp>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "tests/support/commands.h"
#include "tests/support/sanitized.h"
#include "tests/tools/set/tool_call.h"
#include "tools/exec/jobs.h"
#include "tools/files/file_memory.h"
#include "tools/files/journal.h"
#include "tools/set/tool.h"
#include "tools/workspace/workspace.h"

namespace tern {
Tool bash_tool(), bash_output_tool(), kill_bash_tool();
}

using namespace tern;
using namespace tern::test;
using nlohmann::json;
using std::chrono::milliseconds;

namespace {

struct ShellWorld {
  TempDir temp, spill;
  Workspace workspace{temp.path()};
  FileMemory files;
  Journal journal;
  Jobs jobs;
  Sandbox sandbox;
  std::vector<TodoItem> todos;
  std::stop_source stop;
  std::string live;
  std::function<void()> heard;  // whenever a command has said something

  ToolOutput run(const Tool& tool, const json& args) {
    shell_spec("", "/tmp");
    return call_tool(tool, args, {workspace, files, journal, jobs, todos}, "call/1", sandbox,
                     [this](ToolContext& ctx) {
                       ctx.stop = stop.get_token();
                       ctx.spill_dir = spill.path();
                       ctx.progress = [this](std::string_view bytes) {
                         live.append(bytes);
                         if (heard) heard();
                       };
                     });
  }
  ToolOutput sh(const std::string& command) { return run(bash_tool(), {{"command", command}}); }
};

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("bash says the exit code first, and only on failure") {
  ShellWorld w;
  CHECK(w.sh("echo hi").text == "hi\n");
  CHECK(w.sh("true").text == "(Bash completed with no output)");
  CHECK(w.sh("true").note.empty());  // nothing to tell of it
  const ToolOutput failed = w.sh("echo out; echo err >&2; exit 3");
  CHECK(failed.text == "Exit code 3\nout\nerr\n");
  CHECK(failed.is_error);
  CHECK(failed.exit_status == 3);
  CHECK(failed.note.rfind("exit 3", 0) == 0);
  CHECK(failed.note.find("0.0 s") == std::string::npos);
  CHECK(w.sh("kill -TERM $$").text == "Exit code 143 (killed by signal 15)");
  CHECK(w.run(bash_tool(), {{"command", "  \n"}}).is_error);
  CHECK(w.live.find("out") != std::string::npos);
}

TEST_CASE("for a search or a comparison, 1 is an answer") {
  ShellWorld w;
  const ToolOutput none = w.sh("echo a | grep b");
  CHECK_FALSE(none.is_error);
  CHECK(says(none.text, "Exit code 1"));
  CHECK(w.sh("grep x /nowhere").is_error);
  CHECK(w.sh("false").is_error);
}

TEST_CASE("the working directory persists inside the workspace only") {
  ShellWorld w;
  std::filesystem::create_directories(w.temp.path() / "sub" / "deep dir");
  CHECK(w.sh("cd 'sub/deep dir' && false").is_error);
  CHECK(w.sh("pwd").text == (w.temp.path() / "sub/deep dir").string() + "\n");
  const ToolOutput left = w.sh("cd / && echo there");
  CHECK(says(left.text, "there\nShell cwd was reset to " + (w.temp.path() / "sub/deep dir").string()));
  CHECK(w.sh("(cd ..); pwd").text == (w.temp.path() / "sub/deep dir").string() + "\n");
  w.sh("cd ../..; exit 4");
  CHECK(w.sh("pwd").text == w.temp.path().string() + "\n");
  w.sh("mkdir gone; cd gone; rmdir ../gone");
  CHECK(w.sh("echo still").text == "still\n");
}

TEST_CASE("a command that outlasts its time goes to the background, and can be read and ended") {
  ShellWorld w;
  const ToolOutput moved =
      w.run(bash_tool(),
            {{"command",
              "echo begun; echo $$ > pid; while [ ! -e go ]; do sleep 0.01; done; echo went; exec sleep 60"},
             {"timeout", 300}});
  CHECK_FALSE(moved.is_error);
  CHECK(says(moved.text, "still running after 0.3 s and was moved to the background"));
  CHECK(says(moved.text, "bash_1"));
  CHECK(says(moved.text, "begun"));
  CHECK(w.jobs.running() == 1);
  std::ofstream(w.temp.path() / "go") << "";
  std::string seen;
  for (int i = 0; i < 400 && !says(seen, "went"); ++i) {
    seen += w.run(bash_output_tool(), {{"bash_id", "bash_1"}}).text;
    ::poll(nullptr, 0, 5);
  }
  CHECK(says(seen, "went"));
  CHECK(says(w.run(bash_output_tool(), {{"bash_id", "bash_1"}}).text, "(nothing new)"));
  CHECK(says(w.run(kill_bash_tool(), {{"shell_id", "bash_1"}}).text, "were ended"));
  CHECK(w.jobs.running() == 0);
  CHECK(says(w.run(bash_output_tool(), {{"bash_id", "bash_1"}}).text, "stopped by the model"));
  CHECK(w.run(bash_output_tool(), {{"bash_id", "bash_9"}}).is_error);
  CHECK(w.run(kill_bash_tool(), {{"shell_id", "bash_9"}}).is_error);
}

TEST_CASE("the person moves the running command to the background") {
  ShellWorld w;
  std::jthread person([&] {
    while (!std::filesystem::exists(w.temp.path() / "begun")) std::this_thread::yield();
    w.jobs.request_move();
  });
  const ToolOutput moved = w.run(bash_tool(), {{"command", "touch begun; exec sleep 60"}});
  CHECK(says(moved.text, "The user moved the command to the background"));
  CHECK(w.jobs.running() == 1);
  CHECK(w.jobs.stop("bash_1", StoppedBy::model));
}

TEST_CASE("run_in_background answers at once, and tells when it ends") {
  std::mutex mutex;
  std::condition_variable heard;
  std::string told;
  ShellWorld w;  // ends first: its jobs may still tell
  w.jobs.on_end = [&](const JobInfo& job) {
    const std::lock_guard lock(mutex);
    told = job.id + " " + job.how;
    heard.notify_all();
  };
  const ToolOutput started =
      w.run(bash_tool(), {{"command", "echo a; echo b; exit 5"}, {"run_in_background", true}});
  CHECK(says(started.text, "bash_1"));
  for (int i = 0; i < 1000 && w.jobs.running() > 0; ++i) ::poll(nullptr, 0, 5);
  CHECK(w.run(bash_output_tool(), {{"bash_id", "bash_1"}, {"filter", "("}}).is_error);
  CHECK(w.run(bash_output_tool(), {{"bash_id", "bash_1"}, {"filter", "((a{1,250}){1,250}){1,250}"}})
            .is_error);  // no gigabytes
  const ToolOutput output = w.run(bash_output_tool(), {{"bash_id", "bash_1"}, {"filter", "^b"}});
  CHECK(says(output.text, "exit 5"));
  CHECK(says(output.text, "\nb\n"));
  CHECK_FALSE(says(output.text, "\na\n"));
  std::unique_lock lock(mutex);
  heard.wait_for(lock, std::chrono::seconds(10), [&] { return !told.empty(); });
  CHECK(told == "bash_1 exit 5");
}

TEST_CASE("what a command leaves running is ended and said") {
  ShellWorld w;
  const ToolOutput out = w.sh("sleep 99 & echo ready");
  CHECK(says(out.text, "ready\n[1 process was still running in the background"));
  CHECK_FALSE(out.is_error);
}

TEST_CASE("stopping the turn ends the command and says so") {
  ShellWorld w;
  std::chrono::steady_clock::time_point begun;
  w.heard = [&] {
    if (w.stop.request_stop()) begun = std::chrono::steady_clock::now();
  };
  const ToolOutput out = w.sh("trap '' TERM; echo before; sleep 99; sleep 99");
  CHECK(std::chrono::steady_clock::now() - begun < milliseconds(2600) * test::slower);
  CHECK(says(out.text, "Interrupted by the user after"));
  CHECK(says(out.text, "before"));
  CHECK(out.is_error);
}

TEST_CASE("ten readers of a terminal end by themselves and are explained") {
  ShellWorld w;
  const char* readers[] = {"read -p 'Name: ' x",
                           "cat",
                           "python3 -c 'input(\"? \")'",
                           "sudo -S true </dev/tty",
                           "less /etc/hostname",
                           "head -1 /dev/tty",
                           "ssh -oConnectTimeout=1 nobody@127.0.0.1 true",
                           "git clone https://127.0.0.1:1/x.git",
                           "vi -c q </dev/tty",
                           "stty -a",
                           "top -b -n1 | head -1"};
  for (const char* reader : readers) {
    INFO(reader);
    const auto begun = std::chrono::steady_clock::now();
    w.sh(reader);
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(5) * test::slower);
  }
  if (!says(w.sh("command -v python3 || echo none").text, "none"))
    CHECK(says(w.sh("python3 -c 'input()'").text, "no terminal and no input"));
}

TEST_CASE("questions nobody can answer are recognised") {
  for (const char* line : {"Password:", "Enter passphrase for key '/x': ", "Proceed? [y/N] ",
                           "Are you sure you want to continue connecting (yes/no)? ",
                           "Username for 'https://github.com': ", "Press ENTER to continue", "overwrite a? "})
    CHECK(reads_like_question(line));
  for (const char* line :
       {"", "Compiling foo v1.0", "warning: unused", "47%", "note: ", "error: expected ':'", "building...",
        "Computing center of mass: ", "Bisecting laptop: ", "unconfirmed:", "reselect all:"})
    CHECK_FALSE(reads_like_question(line));
}

namespace {

Following ask(const std::string& command, std::string& live, OutputRing& output,
              milliseconds time = std::chrono::seconds(60)) {
  TempDir temp;
  Process process;
  REQUIRE(process.start(shell_spec(command, temp.path())).empty());
  FollowLimits limits;
  limits.answer = milliseconds(200);
  limits.time = time;
  return follow(process, output, limits, {}, [&](std::string_view bytes) { live += bytes; });
}

}  // namespace

TEST_CASE("who waits for an answer at a terminal of its own is ended") {
  if (run_command("command -v python3").text.empty()) SKIP("there is no python3 to make a terminal");
  std::string live;
  OutputRing output;
  const Following following =
      ask("exec python3 -c 'import pty; pid, fd = pty.fork()\nif pid == 0:\n  input(\"Proceed? [y/N] "
          "\")\nimport os\nwhile True: "
          "os.write(1, os.read(fd, 99))'",
          live, output);
  CHECK(following.how == Following::How::asking);
  CHECK(following.end.stopped);
}

TEST_CASE("what only reads like a question is said and goes on") {
  std::string live;
  OutputRing output;
  const Following following = ask("printf 'Enter the matrix: '; sleep 1; echo 42", live, output);
  CHECK(following.how == Following::How::ended);
  CHECK_FALSE(following.seemed_asking);
  CHECK(says(live, "reads like a question"));
  CHECK(says(output.text(), "Enter the matrix: 42\n"));
  CHECK(ask("printf 'Password: '; sleep 100", live, output, milliseconds(900)).seemed_asking);
}

TEST_CASE("a command that takes its time to end is not waited for by who stops the turn") {
  TempDir temp;
  Process process;
  REQUIRE(
      process.start(shell_spec("trap '' TERM; echo up; while :; do sleep 1000; done", temp.path())).empty());
  OutputRing output;
  std::stop_source stop;
  FollowLimits limits;
  limits.grace = std::chrono::hours(1);  // it does not end while it is waited for
  const Following following =
      follow(process, output, limits, stop.get_token(), [&](std::string_view) { stop.request_stop(); });
  CHECK(following.how == Following::How::leaving);
  CHECK(process.running());
  process.stop(milliseconds(0));
  Jobs jobs;
  int told = 0;
  jobs.on_end = [&](const JobInfo&) { ++told; };
  const std::string id = jobs.leave(std::move(process), "stubborn");
  CHECK(jobs.list().empty());
  jobs.wait_for_leaving({});
  REQUIRE(jobs.find(id));
  CHECK_FALSE(jobs.find(id)->running);
  jobs.close();
  CHECK(told == 0);
}

TEST_CASE("what an interrupted command does before it ends is undone with its turn") {
  ShellWorld w;
  std::ofstream(w.temp.path() / "a") << "one\n";
  w.journal.begin_turn(1);
  w.heard = [&] { w.stop.request_stop(); };
  const ToolOutput ended =
      w.sh("trap 'echo two > a; sleep 0.2; exit 1' TERM; echo up; while :; do sleep 0.01; done");
  CHECK(says(ended.text, "Interrupted by the user"));
  CHECK(ended.note.starts_with("interrupted"));
  w.stop = {};
  w.heard = {};
  CHECK(says(w.sh("cat a").text, "two"));  // begins when that one is gone
  const auto report = w.journal.undo(w.workspace, 1, 1);
  CHECK(report.refused.empty());
  CHECK(report.restored == std::vector<std::filesystem::path>{w.temp.path() / "a"});
}

TEST_CASE("a shell that takes the place it went to with it is said to") {
  ShellWorld w;
  std::filesystem::create_directory(w.temp.path() / "sub");
  for (const char* command : {"cd sub; exec true", "trap 'echo bye' EXIT; cd sub"}) {
    INFO(command);
    CHECK(says(w.sh(command).text, "the working directory is still " + w.workspace.cwd().string()));
  }
  CHECK_FALSE(says(w.sh("cd sub && true").text, "still"));
  CHECK(w.workspace.cwd().filename() == "sub");
}

TEST_CASE("long output is cut in the middle and whole in its file") {
  ShellWorld w;
  const ToolOutput out = w.sh("seq 1 300000");
  CHECK(says(out.text, "1\n2\n3\n"));
  CHECK(out.text.substr(out.text.size() - 7) == "300000\n");
  CHECK(says(out.text, "lines not shown here"));
  REQUIRE_FALSE(out.spill.empty());
  CHECK(std::filesystem::file_size(out.spill) == 1988895);
  CHECK(w.sh("seq 1 100").spill.empty());
}

TEST_CASE("hostile bytes come back as valid text") {
  ShellWorld w;
  const ToolOutput out = w.sh("printf 'a\\377\\000b\\303\\033[2J\\355\\240\\200\\n'");
  CHECK(out.text ==
        "a\xef\xbf\xbd\xef\xbf\xbd"
        "b\xef\xbf\xbd\x1b[2J\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\n");
  CHECK_NOTHROW(json(out.text).dump());
}

TEST_CASE("fifty streams of hostile bytes come back as valid text") {
  const std::string pieces[] = {std::string(1, '\0'),
                                "\r",
                                "\n",
                                "\x1b[2J",
                                "\x1b]0;x\x07",
                                "\xc3",
                                "\xed\xa0\x80",
                                "\xff",
                                "\xf0\x9f",
                                "e\xcc\x81",
                                std::string(3000, 'x'),
                                "\xe2\x80\xae",
                                "\x9b",
                                "\x1bP",
                                "\b\b",
                                "\xc1\xbf"};
  ShellWorld w;
  std::mt19937 random(16);
  for (int stream = 0; stream < 50; ++stream) {
    std::string bytes;
    if (stream == 0) bytes.assign(20'000'000, 'x');  // one line
    if (stream == 1)
      for (int mark = 0; mark < 1'000'000; ++mark) bytes += "\xcc\x81";
    for (int n = 0; stream > 1 && n < 400; ++n) bytes += pieces[random() % std::size(pieces)];
    const auto file = w.temp.path() / "hostile";
    std::ofstream(file, std::ios::binary) << bytes;
    const ToolOutput out = w.sh("cat hostile");
    INFO("stream " << stream);
    CHECK_NOTHROW(json(out.text).dump());  // throws where the text is no UTF-8
    CHECK(out.text.size() < 1'000'000);
  }
}
