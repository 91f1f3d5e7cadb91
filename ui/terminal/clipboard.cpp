#include "ui/terminal/clipboard.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <utility>

#include "ui/terminal/child.h"
#include "ui/terminal/osc.h"

extern char** environ;

namespace tern {
namespace {

struct Program {
  const char* desktop;  // the variable that says it is there; none: the program alone says so
  std::vector<std::string> command;
};

std::vector<Program> programs() {
  return {{"WAYLAND_DISPLAY", {"wl-copy"}},
          {"DISPLAY", {"xclip", "-selection", "clipboard"}},
          {"DISPLAY", {"xsel", "--clipboard", "--input"}},
          {nullptr, {"pbcopy"}}};
}

bool on_path(std::string_view name, std::string_view path) {
  while (!path.empty()) {
    const auto end = std::min(path.find(':'), path.size());
    if (end > 0 && ::access((std::string(path.substr(0, end)) + "/" + std::string(name)).c_str(), X_OK) == 0)
      return true;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return false;
}

void feed(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

void run(std::vector<std::string> program, const std::string& text) {
  int ends[2] = {};
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[0], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> argv;
  argv.reserve(program.size() + 1);
  for (std::string& word : program) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, argv[0], &files, ChildSignals().get(), argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  close(ends[0]);
  if (failed == 0) feed(ends[1], text);
  close(ends[1]);
  if (failed == 0)
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {}
}

}  // namespace

std::vector<std::string> clipboard_program(const Variables& variables) {
  if (!variables("SSH_CONNECTION").empty()) return {};  // the clipboard that is meant is at the other end
  for (const Program& program : programs()) {
    const bool here = !program.desktop || !variables(program.desktop).empty();
    if (here && on_path(program.command[0], variables("PATH"))) return program.command;
  }
  return {};
}

void ClipboardWriter::write(std::vector<std::string> program, std::string text) {
  thread_ = std::jthread([program = std::move(program), text = std::move(text)] { run(program, text); });
}

std::string base64(std::string_view bytes) {
  static constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k > bytes.size() ? '=' : letters[group >> (18 - 6 * k) & 63];
  }
  return out;
}

std::string copy_sequence(std::string_view text, bool in_tmux) {
  const std::string plain = "\x1b]52;c;" + base64(text) + "\a";
  return in_tmux ? through_tmux(plain) + plain : plain;
}

}  // namespace tern
