#include "tools/sandbox/sandbox.h"
#include "tests/support/places.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <fstream>

#include "tests/support/commands.h"

using namespace tern;
using namespace tern::test;
namespace fs = std::filesystem;

namespace {

// A workspace with a repository, a secret outside, and a private directory for temporary files.
struct Cage {
  TempDir temp;
  fs::path work = temp.path() / "work", outside = temp.path() / "outside", own = temp.path() / "tmp";
  Sandbox sandbox;

  explicit Cage(SandboxRung rung) {
    for (const fs::path& directory :
         {work / "src", work / ".git/hooks", work / "lib/nested/.git/hooks", work / ".vscode",
          work / "lib/bare/refs", work / "lib/bare/objects", work / "lib/bare/hooks", outside, own})
      fs::create_directories(directory);
    std::ofstream(work / "lib/bare/HEAD") << "ref: refs/heads/main\n";
    std::ofstream(work / "lib/.envrc") << "true\n";
    std::ofstream(work / ".git/config") << "config\n";
    std::ofstream(outside / "file") << "outside\n";
    std::ofstream(work / "src/a") << "a\n";
    fs::create_symlink(outside / "file", work / "src/link");
    SandboxSupport support;
    support.rung = rung;
    support.process_namespace = rung == SandboxRung::namespaces && probe_sandbox().process_namespace;
    sandbox = sandbox_for({work}, own, {work / ".compression"}, support);
  }
  CommandRan run(const std::string& command) {
    ProcessSpec spec = shell_spec(command, work);
    spec.sandbox = sandbox;
    spec.env = child_env(current_env(), {}, sandbox.temp);
    fit_environment(spec.env, sandbox);
    return run_spec(spec);
  }
};

bool offered(SandboxRung rung) {
  const SandboxSupport& support = probe_sandbox();
  return rung == SandboxRung::namespaces ? support.rung == SandboxRung::namespaces
                                         : support.landlock_abi > 0 && support.seccomp;
}

struct Escape {
  const char *what, *command;
  bool needs_namespaces = false;  // Landlock knows nothing of modes and times, and the sandbox says so
};

// Each prints "escaped" when it got out; OUT is the directory outside, PARENT a process outside.
constexpr Escape escapes[] = {
    {"write outside", "echo x > $OUT/new && echo escaped"},
    {"append outside", "echo x >> $OUT/file && echo escaped"},
    {"through a link", "echo x > src/link && echo escaped"},
    {"through a new link", "ln -s $OUT/file l && echo x > l && echo escaped"},
    {"through a link swapped again and again",
     "mkdir d; for i in $(seq 200); do rm -rf d; ln -s $OUT d; (echo x > d/swapped) 2>/dev/null; rm -f d; "
     "mkdir -p d; done; [ "
     "-e $OUT/swapped ] && echo escaped"},
    {"rename out", "mv src/a $OUT/a && echo escaped"},
    {"hard link in and write", "ln $OUT/file h && echo x > h && echo escaped"},
    {"delete outside", "rm $OUT/file && echo escaped"},
    {"make a directory outside", "mkdir $OUT/d && echo escaped"},
    {"truncate outside", "truncate -s 0 $OUT/file && echo escaped"},
    {"by way of /proc", "echo x > /proc/self/cwd/../outside/p && echo escaped"},
    {"by way of root", "echo x > /proc/self/root$OUT/p && echo escaped"},
    {"home", "touch ~/.tern-test-escape && echo escaped"},
    {"the system", "touch /etc/tern-test-escape && echo escaped"},
    {"shared temporary files", "touch /tmp/tern-test-escape && echo escaped"},
    {"git settings", "echo x >> .git/config && echo escaped"},
    {"git hooks", "echo x > .git/hooks/pre-commit && echo escaped"},
    {"git moved away", "mv .git g && mkdir -p .git/hooks && echo escaped"},
    {"git removed", "rm -rf .git; [ -e .git/config ] || echo escaped"},
    {"git hooks behind a link", "ln -s .git/hooks k && echo x > k/pre-commit && echo escaped"},
    {"hooks of a nested repository", "echo x > lib/nested/.git/hooks/post-checkout && echo escaped"},
    {"hooks of a bare repository", "echo x > lib/bare/hooks/post-receive && echo escaped"},
    {"the tasks of an editor", "echo x > .vscode/tasks.json && echo escaped"},
    {"what direnv runs", "echo x >> lib/.envrc && echo escaped; echo x > .envrc && echo escaped"},
    {"hooks of a manager", "mkdir -p .husky && echo x > .husky/pre-commit && echo escaped"},
    {"servers for agents", "echo x > .mcp.json && echo escaped"},
    {"what another agent runs",
     "for d in .claude .codex .gemini .cursor; do mkdir -p $d && echo x > $d/settings.json && echo escaped; "
     "done"},
    {"a nested repository moved away", "mv lib/nested/.git src/g && echo escaped"},
    {"a protected path that is missing",
     "mkdir -p .compression && echo x > .compression/config.json && echo escaped"},
    {"a protected name as a link",
     "rmdir .compression 2>/dev/null; ln -s src .compression && echo x > .compression/y && echo escaped"},
    {"tcp",
     "(exec 3<>/dev/tcp/$HOST/9) 2>&1 | grep -q 'refused' && [ -z \"$LOOP\" ] && echo escaped; timeout 2 "
     "bash -c "
     "'</dev/tcp/192.0.2.1/80' && echo escaped"},
    {"udp",
     "python3 -c 'import socket; s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM); "
     "s.sendto(b\"x\",(\"192.0.2.1\",53)); "
     "print(\"escaped\")'"},
    {"names", "python3 -c 'import socket; socket.gethostbyname(\"example.com\"); print(\"escaped\")'"},
    {"raw sockets",
     "python3 -c 'import socket; socket.socket(socket.AF_PACKET,socket.SOCK_RAW); print(\"escaped\")'"},
    {"a daemon's socket",
     "python3 -c 'import socket,os; s=socket.socket(socket.AF_UNIX); "
     "s.connect(os.environ[\"OUT\"]+\"/daemon\"); "
     "print(\"escaped\")'"},
    {"an abstract socket",
     "python3 -c 'import socket; s=socket.socket(socket.AF_UNIX); s.connect(\"\\0tern-test\"); "
     "print(\"escaped\")'"},
    {"signals to others", "kill -0 $PARENT && echo escaped"},
    {"tracing others",
     "python3 -c 'import ctypes,os; l=ctypes.CDLL(None,use_errno=True); print(\"escaped\" if "
     "l.ptrace(16,int(os.environ[\"PARENT\"]),0,0)==0 else \"\")'"},
    {"the environment of others", "cat /proc/$PARENT/environ >/dev/null && echo escaped"},
    {"the memory of others", "head -c1 /proc/$PARENT/mem && echo escaped"},
    {"new namespaces", "unshare -Ur true && echo escaped"},
    {"new mounts", "mount -t tmpfs x src && echo escaped"},
    {"a mount taken away", "umount .git && echo escaped"},
    {"writable again", "mount -o remount,rw,bind .git && echo escaped"},
    {"more rights", "python3 -c 'import os; os.setuid(12345); print(\"escaped\")'"},
    {"terminal input",
     "python3 -c 'import fcntl,os; m,s=os.openpty(); fcntl.ioctl(s,0x5412,b\"x\"); print(\"escaped\")'"},
    {"the keys of another terminal", "timeout 2 head -c1 $PTY | grep -q . && echo escaped"},
    {"the screen of another terminal", "echo x > $PTY && echo escaped"},
    {"another terminal through its owner",
     "timeout 2 head -c1 /proc/$PARENT/fd/$PTYFD | grep -q . && echo escaped"},
    {"the devices of the machine",
     "for d in /dev/[svx]d[a-z] /dev/vcs1 /dev/vcsa /dev/nvme0n1 /dev/kmsg /dev/mem; do timeout 1 head -c1 "
     "$d | grep -q . && "
     "echo "
     "escaped; done"},
    {"the limits of others",
     "python3 -c 'import resource,os; resource.prlimit(int(os.environ[\"PARENT\"]),resource.RLIMIT_CORE); "
     "print(\"escaped\")'"},
    {"the disk priority of the user", "ionice -c3 -p $PARENT && echo escaped"},
    {"the processors of others", "taskset -p 1 $PARENT && echo escaped"},
    {"the nice value of others", "renice -n 10 -p $PARENT && echo escaped"},
    {"the nice value of the user",
     "renice -n 19 -u $(id -u) && [ $(ps -o nice= -p $PARENT) = 19 ] && echo escaped"},
    {"the disk priority of all",
     "python3 -c 'import ctypes,os,sys; l=ctypes.CDLL(None); n=l.syscall(251,3,0,3<<13); print(\"escaped\" "
     "if n==0 and "
     "os.path.exists(\"/proc/\"+os.environ[\"PARENT\"]) else \"\")'"},
    {"the scheduling of others", "chrt -b -p 0 $PARENT && echo escaped"},
    {"the mode of a file outside", "chmod 777 $OUT/file && [ $(stat -c %a $OUT/file) = 777 ] && echo escaped",
     true},
    {"the owner of a file outside", "chown 12345 $OUT/file && echo escaped"},
    {"the times of a file outside",
     "touch -c -d 2001-01-01 $OUT/file && [ $(stat -c %Y $OUT/file) -lt 1000000000 ] && echo escaped", true},
    {"an attribute of a file outside",
     "python3 -c 'import os; os.setxattr(os.environ[\"OUT\"]+\"/file\",\"user.x\",b\"1\"); "
     "print(\"escaped\")'"},
    {"the mode of git's settings", "chmod 777 .git/config && echo escaped", true},
    {"git exchanged for another folder",
     "mkdir -p src/g; python3 -c 'import ctypes; l=ctypes.CDLL(None); print(\"escaped\" if "
     "l.syscall(316,-100,b\".git\",-100,b\"src/g\",2)==0 else \"\")'"},
    {"an open file of others",
     "python3 -c 'import ctypes,os; l=ctypes.CDLL(None); p=l.syscall(434,int(os.environ[\"PARENT\"]),0); "
     "print(\"escaped\" if "
     "p>=0 "
     "and l.syscall(438,p,0,0)>=0 else \"\")'"},
    {"the memory of others, written",
     "python3 -c 'import ctypes,os; l=ctypes.CDLL(None); print(\"escaped\" if "
     "l.syscall(311,int(os.environ[\"PARENT\"]),0,0,0,0,0)==0 and "
     "os.path.exists(\"/proc/\"+os.environ[\"PARENT\"]) else \"\")'"},
    {"a device of its own",
     "mknod src/d b 254 0 && head -c1 src/d && echo escaped; mknod src/m c 1 1 && head -c1 src/m && echo "
     "escaped"},
    {"another root", "chroot / true && echo escaped"},
    {"a program in the kernel",
     "python3 -c 'import ctypes; l=ctypes.CDLL(None); print(\"escaped\" if l.syscall(321,0,0,0)>=0 else "
     "\"\")'"},
    {"the events of the machine",
     "python3 -c 'import ctypes; l=ctypes.CDLL(None); "
     "b=ctypes.create_string_buffer(b\"\\1\\0\\0\\0\\x80\\0\\0\\0\"+bytes(120)); "
     "print(\"escaped\" if l.syscall(298,b,-1,0,-1,0)>=0 else \"\")'"},
    {"the clock", "python3 -c 'import time; time.clock_settime(0,time.time()); print(\"escaped\")'"},
    {"the settings of the kernel",
     "cat /proc/sys/kernel/core_pattern > c; cat c > /proc/sys/kernel/core_pattern && echo escaped"},
    {"the keys of the user",
     "python3 -c 'import ctypes; l=ctypes.CDLL(None); print(\"escaped\" if "
     "l.syscall(248,b\"user\",b\"tern\",b\"x\",1,-4)>=0 "
     "else \"\")'"},
    {"a file by its handle",
     "python3 -c 'import ctypes; l=ctypes.CDLL(None,use_errno=True); "
     "l.syscall(304,-100,ctypes.create_string_buffer(b\"\\x08\\0\\0\\0\\1"
     "\\0\\0\\0\"+bytes(64)),0); print(\"escaped\" if ctypes.get_errno() not in (1,38) else \"\")'"},
    {"a virtual machine's host",
     "python3 -c 'import socket; socket.socket(40,socket.SOCK_STREAM); print(\"escaped\")'"},
    {"io_uring",
     "python3 -c 'import ctypes; l=ctypes.CDLL(None); print(\"escaped\" if l.syscall(425,1,0)>=0 else "
     "\"\")'"},
    {"a program with the rights of its owner",
     "cp /bin/true src/p; for m in 4755 2755 6755 u+s g+s; do chmod $m src/p; done; install -m 4755 "
     "/bin/true src/q; "
     "find src -perm /6000 | grep -q . && echo escaped"},
    {"a program born with the rights of its owner",
     "python3 -c 'import os; os.umask(0); os.open(\"src/p\",os.O_CREAT|os.O_WRONLY,0o4755)'; "
     "python3 -c 'import os; os.umask(0); os.mknod(\"src/q\",0o104755)'; "
     "python3 -c 'import ctypes; l=ctypes.CDLL(None); l.umask(0); l.syscall(85,b\"src/r\",0o4755)'; "
     "python3 -c 'import ctypes,struct; l=ctypes.CDLL(None); l.umask(0); "
     "l.syscall(437,-100,b\"src/s\",struct.pack(\"QQQ\",0o101,0o4755,0),24)'; "
     "find src -perm /6000 | grep -q . && echo escaped"},
    {"another processor mode",
     "python3 -c 'import ctypes; l=ctypes.CDLL(None); print(\"escaped\" if l.syscall(0x40000000+39)>0 else "
     "\"\")'"},
};

int listen_at(const fs::path& path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "%s", path.c_str());
  ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
  ::listen(fd, 8);
  return fd;
}

// Somebody's terminal, in which a key waits to be read.
struct Terminal {
  int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave = -1;
  std::string name;

  Terminal() {
    ::grantpt(master);
    ::unlockpt(master);
    name = ::ptsname(master);
    slave = ::open(name.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (::write(master, "k\n", 2) != 2) name.clear();
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    ::close(slave);
    ::close(master);
  }
};

void try_escapes(SandboxRung rung, bool looking = false) {
  int denied = 0;
  std::size_t tried = 0;
  for (const Escape& escape : escapes) {
    if (escape.needs_namespaces && rung != SandboxRung::namespaces) continue;
    ++tried;
    Cage cage(rung);
    if (looking) cage.sandbox = look_only(cage.sandbox);
    const int daemon = listen_at(cage.outside / "daemon");
    const Terminal terminal;
    const CommandRan ran =
        cage.run("export OUT=" + cage.outside.string() + " PARENT=" + std::to_string(::getpid()) +
                 " PTY=" + terminal.name + " PTYFD=" + std::to_string(terminal.slave) +
                 " HOST=127.0.0.1 LOOP=1; " + escape.command);
    ::close(daemon);
    INFO(escape.what << ": " << ran.text << ran.error << ran.end.error);
    CHECK(ran.text.find("escaped") == std::string::npos);
    denied += ran.text.find("escaped") == std::string::npos ? 1 : 0;
    std::ifstream file(cage.outside / "file");
    std::string text;
    std::getline(file, text);
    CHECK(text == "outside");
    CHECK(fs::exists(cage.work / ".git/config"));
    for (const char* name : {".compression", ".envrc", ".husky", ".mcp.json", ".claude", ".cursor"})
      CHECK_FALSE(fs::exists(cage.work / name));
    CHECK_FALSE(fs::exists(cage.outside / "swapped"));
  }
  CHECK(tried >= 70);
  CHECK(denied == static_cast<int>(tried));
}

}  // namespace

TEST_CASE("seventy escapes from the namespaces are denied") {
  if (!offered(SandboxRung::namespaces))
    SKIP("this kernel gives no user namespaces: " << probe_sandbox().why);
  try_escapes(SandboxRung::namespaces);
}

TEST_CASE("seventy escapes from Landlock alone are denied") {
  if (!offered(SandboxRung::landlock)) SKIP("this kernel has no Landlock");
  try_escapes(SandboxRung::landlock);
}

TEST_CASE("seventy escapes from a look-only sandbox are denied") {
  for (const auto rung : {SandboxRung::namespaces, SandboxRung::landlock})
    if (offered(rung)) try_escapes(rung, true);
}

TEST_CASE("ordinary work goes on inside") {
  if (!offered(SandboxRung::namespaces))
    SKIP("this kernel gives no user namespaces: " << probe_sandbox().why);
  Cage cage(SandboxRung::namespaces);
  CHECK(cage.run("echo x > new && mkdir -p a/b && mv new a/b && cat a/b/new && rm -r a && ls ..")
            .text.find("x\n") == 0);
  CHECK(cage.run("t=$(mktemp) && echo y > $t && cat $t").text == "y\n");
  CHECK(cage.run("echo z > /dev/null && head -c3 /dev/zero | wc -c && cat /dev/null && echo $PPID > "
                 "/dev/shm/x && echo shm")
            .text == "3\nshm\n");
  CHECK(cage.run("sleep 0.01 & wait; kill -0 $$ && echo own").text == "own\n");
  CHECK(cage.run("cd src && pwd && touch here && ls here").text == cage.work.string() + "/src\nhere\n");
  CHECK(cage.run("python3 -c 'import socket; s=socket.socket(); s.bind((\"127.0.0.1\",0)); s.listen(); "
                 "socket.create_connection(s.getsockname()); print(\"own network\")'")
            .text == "own network\n");
  CHECK(cage.run("python3 -c 'import pty; pty.spawn([\"echo\", \"own terminal\"])'")
            .text.find("own terminal") == 0);
  CHECK(cage.run("echo x > /dev/stdout; echo y > /dev/stderr; cat < /dev/stdin; cat <(echo z)").text ==
        "x\ny\nz\n");
  CHECK(cage.run("ulimit -n 64 && ulimit -n && nice -n 5 echo nice").text == "64\nnice\n");
  CHECK(cage.run("exit 7").end.status == 7);
  CHECK_FALSE(fs::exists(cage.work / ".compression"));
}

TEST_CASE("processes inside see and end their own, and nobody else's") {
  if (!probe_sandbox().process_namespace) SKIP("no process namespace here");
  Cage cage(SandboxRung::namespaces);
  const auto text = [&](const char* command) { return cage.run(command).text; };
  const std::string parent = "/proc/" + std::to_string(::getpid());
  CHECK(text(("[ -e /proc/1/stat ] && [ ! -e " + parent +
              "/stat ] && [ $(ls /proc | grep -c '^[0-9]*$') -lt 7 ] && echo few")
                 .c_str()) == "few\n");
  CHECK(text("sleep 60 & kill $!; wait $!; echo $?") == "143\n");
  CHECK(
      text("sleep 60 & until grep -q sleep /proc/$!/comm; do :; done; pkill -P $$ sleep; wait; echo ended") ==
      "ended\n");
  CHECK(text("timeout 0.05 sleep 60; echo $?") == "124\n");
  CHECK(text("(sleep 60 & sleep 60 & wait) & kill -- -$$ ; echo not reached") == "");
  CHECK(text("trap 'echo trapped' TERM; kill -TERM $$; echo on") == "trapped\non\n");
  CHECK(text("printf 'all: x y\nx y:\n\t@echo $@\n' > src/Makefile; make -s -j2 -C src | sort") == "x\ny\n");
  CHECK(text("sh -c 'sh -c \"sh -c \\\"echo deep\\\"\"'") == "deep\n");
  CHECK(text("yes | head -1; nice -n 5 taskset -c 0 echo pinned") == "y\npinned\n");
  CHECK(text("python3 -c 'import threading,os; t=threading.Thread(target=lambda: "
             "os.sched_setaffinity(threading.get_native_id(), "
             "{0})); "
             "t.start(); t.join(); print(\"thread\")'") == "thread\n");
  CHECK(text("cat /proc/self/status | grep -c ^Name; echo $(( $(sh -c 'echo $PPID') == $$ ))") == "1\n1\n");
  CHECK(text("echo $$") != text("echo $$"));  // files named by it do not meet
  CHECK(text("(sleep 0.02; echo late) & echo soon") == "soon\nlate\n");
}

TEST_CASE("the next command of a supervisor has its network again, and mounts and processes of its own") {
  if (!probe_sandbox().process_namespace) SKIP("no process namespace here");
  Cage cage(SandboxRung::namespaces);
  // What is long enough for its supervisor to take hold of it.
  const std::string sends = "sleep 0.05; touch /dev/shm/x; echo x > /dev/udp/127.0.0.1/9; ";
  // Packets that its network has seen, files of its own /dev/shm, processes.
  const std::string looks =
      "grep lo: /proc/net/dev | tr -s ' ' | cut -d' ' -f4; ls /dev/shm | wc -l; "
      "[ $(ls /proc | grep -c '^[0-9]*$') -lt 9 ] && echo few";
  cool_supervisor();
  const auto first = cage.run(sends + looks).text;
  REQUIRE(first.ends_with("\n1\nfew\n"));
  const auto packets = first.substr(0, first.find('\n'));
  CHECK(packets != "0");
  CHECK(cage.run(looks).text == packets + "\n0\nfew\n");
  CHECK(cage.run("touch /etc/x || echo refused").text.find("refused") != std::string::npos);
  cage.run("sleep 9 &");  // left something behind: nothing of it is used again
  CHECK(cage.run(sends + looks).text == first);
  cage.sandbox.network = true;
  char outside[64] = {};
  REQUIRE(::readlink("/proc/self/ns/net", outside, sizeof outside - 1) > 0);
  CHECK(cage.run("readlink /proc/self/ns/net").text == std::string(outside) + "\n");
  cage.sandbox.network = false;
  CHECK(cage.run(looks).text == packets + "\n0\nfew\n");
  cool_supervisor();
}

TEST_CASE("a command that sees the processes outside has the network of the last one, too") {
  if (probe_sandbox().rung != SandboxRung::namespaces) SKIP("no namespaces here");
  Cage cage(SandboxRung::namespaces);
  cage.sandbox.own_processes = false;
  cool_supervisor();
  const std::string looks = "sleep 0.05; readlink /proc/self/ns/net";
  const auto first = cage.run(looks).text;
  CHECK(first.starts_with("net:"));
  CHECK(cage.run(looks).text == first);
  CHECK(cage.run("unshare -U true || echo refused").text.ends_with("refused\n"));
  char outside[64] = {};
  REQUIRE(::readlink("/proc/self/ns/net", outside, sizeof outside - 1) > 0);
  CHECK(first != std::string(outside) + "\n");
  cage.sandbox.network = true;
  CHECK(cage.run(looks).text == std::string(outside) + "\n");
  cool_supervisor();
}

TEST_CASE("a command in its own process namespace ends as it would outside") {
  if (!probe_sandbox().process_namespace) SKIP("no process namespace here");
  Cage cage(SandboxRung::namespaces);
  CHECK(cage.run("exit 7").end.status == 7);
  CHECK(cage.run("kill -9 $$").end.status == 137);
  CHECK(cage.run("kill -SEGV $$").end.status == 139);
  CHECK(cage.run("kill -TERM 0").end.status == 143);
  CHECK(cage.run("true").end.strays == 0);
  const CommandRan left = cage.run("sleep 60 & sleep 60 & echo left");
  CHECK(left.text == "left\n");
  CHECK(left.end.status == 0);
  CHECK(left.end.strays == 2);
}

TEST_CASE("with Landlock alone work goes on below the folders, and what is refused is told") {
  if (!offered(SandboxRung::landlock)) SKIP("this kernel has no Landlock");
  Cage cage(SandboxRung::landlock);
  std::ofstream(cage.work / "notes") << "old\n";
  CHECK(cage.run("echo new > notes && cat notes").text == "new\n");
  CHECK(cage.run("mkdir src/b && echo x > src/b/c && mv src/b/c src/d && cat src/d && rm -r src/b").text ==
        "x\n");
  CHECK(cage.run("t=$(mktemp) && echo y > $t && cat $t").text == "y\n");
  const CommandRan refused = cage.run("mkdir build; echo x > new");
  CHECK(refused.text.find("Permission denied") != std::string::npos);
  CHECK_FALSE(fs::exists(cage.work / "new"));
  CHECK_FALSE(fs::exists(cage.work / "build"));
  CHECK(describe(cage.sandbox).find("nothing new directly in there, only in its folders") !=
        std::string::npos);
  CHECK(describe(cage.sandbox).find("modes and times of files elsewhere are not guarded") !=
        std::string::npos);
  fs::create_directory(cage.work /
                       "build");  // as Write does; from the next command on it is a folder like any other
  CHECK(cage.run("echo x > build/new && cat build/new").text == "x\n");
}

TEST_CASE("stand-ins for missing paths go with the last command, also after a crash") {
  if (!offered(SandboxRung::namespaces))
    SKIP("this kernel gives no user namespaces: " << probe_sandbox().why);
  Cage cage(SandboxRung::namespaces);
  {
    const StandIns first(cage.sandbox);
    CHECK(fs::is_directory(cage.work / ".compression"));
    { const StandIns second(cage.sandbox); }
    CHECK(fs::is_directory(cage.work / ".compression"));
    CHECK(cage.run("echo x > .compression/x || echo refused").text.find("refused") != std::string::npos);
    CHECK(fs::is_directory(cage.work / ".compression"));
  }
  CHECK_FALSE(fs::exists(cage.work / ".compression"));
  CHECK(fs::is_empty(cage.own / "stand-ins/.compression"));  // it waits there for the next command
  {
    const StandIns third(cage.sandbox);
    CHECK_FALSE(fs::exists(cage.own / "stand-ins/.compression"));
    ::chmod((cage.work / ".compression").c_str(), 0755);
    std::ofstream(cage.work / ".compression/mine") << "x";  // by somebody outside
    ::chmod((cage.work / ".compression").c_str(), 01555);
  }
  CHECK(fs::exists(cage.work / ".compression/mine"));
  fs::remove_all(cage.work / ".compression");
  fs::create_directory(cage.work / ".compression");
  ::chmod((cage.work / ".compression").c_str(), 01555);  // as one left behind
  cage.run("true");
  CHECK_FALSE(fs::exists(cage.work / ".compression"));
}

TEST_CASE("caches that a build must write are its own where the sandbox refuses the usual place") {
  Sandbox sandbox;
  sandbox.temp = "/run/own", sandbox.writable = {"/people/me/work"};  // no repository
  const std::vector<std::string> given = {"HOME=/people/me", "GOCACHE=/people/me/work/.cache"};
  auto env = given;
  fit_environment(env, sandbox);
  CHECK(env == given);  // no sandbox
  sandbox.on = true;
  fit_environment(env, sandbox);
  const auto has = [&](const char* entry) { return std::count(env.begin(), env.end(), entry) == 1; };
  CHECK(has("GOCACHE=/people/me/work/.cache"));
  CHECK(has("STATICCHECK_CACHE=/run/own/caches/staticcheck"));
  CHECK(has("CCACHE_READONLY=1"));
  CHECK(has("CCACHE_TEMPDIR=/run/own/caches/ccache"));
  env = {"HOME=/people/me", "XDG_CACHE_HOME=/people/me/work/cache", "GOFLAGS=-mod=mod"};
  fit_environment(env, sandbox);
  CHECK(env == std::vector<std::string>{"HOME=/people/me", "XDG_CACHE_HOME=/people/me/work/cache",
                                        "GOFLAGS=-mod=mod -buildvcs=false"});
  if (!offered(SandboxRung::namespaces)) return;
  Cage cage(SandboxRung::namespaces);
  CHECK(cage.run("mkdir -p $GOCACHE && echo built > $GOCACHE/x && cat $GOCACHE/x").text == "built\n");
  std::ofstream(cage.work / ".git/HEAD") << "ref: refs/heads/main\n";
  CHECK(cage.run("echo $GOFLAGS").text == "\n");
  fs::remove_all(cage.work / ".git");
  CHECK(cage.run("echo $GOFLAGS").text == "-buildvcs=false\n");
}

TEST_CASE("a sandbox that cannot be had runs nothing") {
  Cage cage(SandboxRung::none);
  const CommandRan ran = cage.run("echo ran");
  CHECK(ran.text.empty());
  CHECK(ran.end.status == 126);
  CHECK(ran.end.error.find("so the command was not run") != std::string::npos);
  cage.sandbox.rung = SandboxRung::namespaces;
  cage.sandbox.writable = {cage.temp.path() / "missing"};
  CHECK(cage.run("echo ran").text.empty());
}

TEST_CASE("keys are hidden, the network is there when granted") {
  if (!offered(SandboxRung::namespaces))
    SKIP("this kernel gives no user namespaces: " << probe_sandbox().why);
  Cage cage(SandboxRung::namespaces);
  fs::create_directories(cage.temp.path() / "keys");
  std::ofstream(cage.temp.path() / "keys/id") << "key";
  cage.sandbox.hidden = {cage.temp.path() / "keys"};
  CHECK(cage.run("cat ../keys/id || echo hidden").text.find("hidden") != std::string::npos);
  cage.sandbox.network = true;
  const CommandRan ran = cage.run("readlink /proc/self/ns/net");
  char own[100] = {};
  CHECK(::readlink("/proc/self/ns/net", own, sizeof own - 1) > 0);
  CHECK(ran.text == std::string(own) + "\n");
  CHECK(describe(cage.sandbox).find("network granted") != std::string::npos);
}

TEST_CASE("keys stay hidden with Landlock alone, the rest is read") {
  if (!offered(SandboxRung::landlock)) SKIP("this kernel has no Landlock");
  Cage cage(SandboxRung::landlock);
  const fs::path keys = cage.temp.path() / "home/keys";
  fs::create_directories(keys);
  std::ofstream(keys / "id") << "key\n";
  std::ofstream(cage.temp.path() / "home/beside") << "beside\n";
  cage.sandbox.hidden = {keys};
  const CommandRan ran = cage.run(
      "cat ../home/keys/id; cat ../home/beside ../outside/file .git/config src/a; head -c1 /etc/passwd | wc "
      "-c");
  CHECK(ran.text.find("key\n") == std::string::npos);
  CHECK(ran.text.find("beside\noutside\nconfig\na\n1\n") != std::string::npos);
}

TEST_CASE("who works at home keeps the start files") {
  if (!offered(SandboxRung::namespaces))
    SKIP("this kernel gives no user namespaces: " << probe_sandbox().why);
  const std::string before = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  Cage cage(SandboxRung::namespaces);
  std::ofstream(cage.work / ".bashrc") << "mine\n";
  ::setenv("HOME", cage.work.c_str(), 1);
  SandboxSupport support;
  support.rung = SandboxRung::namespaces;
  cage.sandbox = sandbox_for({cage.work}, cage.own, {}, support);
  CHECK(cage.run("echo x >> .bashrc || cat .bashrc; echo y > other && cat other").text.find("mine\ny\n") !=
        std::string::npos);
  ::setenv("HOME", before.c_str(), 1);
}

TEST_CASE("by hand") {
  if (!offered(SandboxRung::landlock) && !offered(SandboxRung::namespaces))
    SKIP("this kernel has no sandbox");
  TempDir temp;
  const std::string program = places::supervisor();
  std::filesystem::create_directory(temp.path() /
                                    "sub");  // with Landlock alone nothing new is made beside a missing .git
  CHECK(run_command(program + " sandbox -- bash -c 'echo x > sub/in; echo y > ../tern-out-$PPID; cat sub/in'",
                    temp.path())
            .text.find("x\n") != std::string::npos);
  CHECK(run_command("ls /tmp | grep -c tern-out-").text == "0\n");
  CHECK(run_command(program + " sandbox -- bash -c 'exit 5'", temp.path()).end.status == 5);
  CHECK(run_command(program + " sandbox", temp.path()).end.status == 2);
  CHECK(run_command(program + " sandbox --check", temp.path()).text.find("sandbox: ") == 0);
}
