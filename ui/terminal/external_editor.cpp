#include "ui/terminal/external_editor.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "ui/terminal/child.h"
#include "ui/terminal/terminal.h"

extern char** environ;

namespace tern {
namespace {

std::string editor_command() {
  for (const char* name : {"VISUAL", "EDITOR"})
    if (const char* value = std::getenv(name); value && *value) return value;
  return "vi";
}

// In place of the shell where it is one command: then what stops and ends is the editor, and signals reach
// it.
std::string in_place(const std::string& editor) {
  const bool assigns = editor.substr(0, editor.find(' ')).find('=') != editor.npos;
  return assigns || editor.find_first_of(";&|<>(){}\n") != editor.npos ? editor : "exec " + editor;
}

// Waits as a shell would: stops with the editor and goes on with it. What is to end us ends it first, and is
// then ours again.
int wait_for(pid_t pid) {
  sigset_t heard;  // the rest of what the keyboard can send was meant for the editor
  sigemptyset(&heard);
  for (const int signal : {SIGINT, SIGQUIT, SIGTSTP, SIGTERM, SIGHUP}) sigaddset(&heard, signal);
  constexpr timespec look{.tv_sec = 0, .tv_nsec = 20'000'000};
  constexpr int patience = 100;  // looks
  int ending = 0, looks = 0, status = -1;
  while (looks < patience) {
    const pid_t found = waitpid(pid, &status, WNOHANG | WUNTRACED);
    if (found < 0 && errno != EINTR) status = -1;
    if (found < 0 ? errno != EINTR : found == pid && !WIFSTOPPED(status)) break;
    if (found == pid && ending == 0) {
      stop_group();
      kill(0, SIGCONT);
    }
    const int signal = sigtimedwait(&heard, nullptr, &look);
    if (signal == SIGTERM || signal == SIGHUP) {
      ending = signal;
      kill(pid, signal);
      kill(pid, SIGCONT);
    }
    looks += ending != 0;
  }
  if (ending != 0) kill(getpid(), ending);
  return ending != 0 ? -1 : status;
}

int run_shell(const std::string& command) {
  std::string shell = "sh", flag = "-c", text = command;
  char* argv[] = {shell.data(), flag.data(), text.data(), nullptr};
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, "/bin/sh", nullptr, ChildSignals().get(), argv, environ);
  return failed == 0 ? wait_for(pid) : -1;
}

}  // namespace

std::optional<std::string> edit_in_editor(const std::string& text, std::string& error) {
  const char* folder = std::getenv("TMPDIR");
  std::string path = std::string(folder && *folder ? folder : "/tmp") + "/tern-prompt-XXXXXX.md";
  const int fd = mkstemps(path.data(), 3);
  if (fd < 0) {
    error = "no temporary file for the editor: " + std::string(std::strerror(errno));
    return std::nullopt;
  }
  const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(fd);
  const int status = written ? run_shell(in_place(editor_command()) + " '" + path + "'") : -1;
  std::ifstream in(path, std::ios::binary);
  std::string edited(std::istreambuf_iterator<char>(in), {});
  unlink(path.c_str());
  if (status != 0) {
    error = "the editor (" + editor_command() + ") ended with an error; the text is unchanged";
    return std::nullopt;
  }
  while (!edited.empty() && edited.back() == '\n') edited.pop_back();
  return edited;
}

}  // namespace tern
