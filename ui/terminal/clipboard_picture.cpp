#include "ui/terminal/clipboard_picture.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "ui/terminal/child.h"
#include "ui/terminal/picture.h"

extern char** environ;

namespace tern {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds patience{5'000}, look{50};
constexpr std::size_t largest = 32u << 20, most_kept = 20;
constexpr std::string_view kept_name = "picture-";

struct Tool {
  const char* desktop;  // the variable that says it is there; none: found by the tool alone
  std::vector<std::string> command;
};

std::vector<Tool> tools() {
  return {{"WAYLAND_DISPLAY", {"wl-paste", "--no-newline", "--type", "image/png"}},
          {"DISPLAY", {"xclip", "-selection", "clipboard", "-target", "image/png", "-out"}},
          {nullptr, {"pngpaste", "-"}}};
}

bool here(const Tool& tool) {
  const char* value = tool.desktop ? std::getenv(tool.desktop) : "";
  return value && (!tool.desktop || *value);
}

// 0, or the number of what went wrong. The child writes into `out` and hears every signal.
int start(const std::vector<std::string>& command, int out, pid_t& pid) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<std::string> words = command;
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int failed = posix_spawnp(&pid, argv[0], &files, ChildSignals().get(), argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  return failed;
}

std::string read_all(int fd, const std::stop_token& stop) {
  std::string bytes;
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!stop.stop_requested() && std::chrono::steady_clock::now() < end && bytes.size() < largest) {
    pollfd ready{fd, POLLIN, 0};
    if (poll(&ready, 1, static_cast<int>(look.count())) <= 0) continue;
    char piece[1 << 16];
    const ssize_t got = ::read(fd, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return bytes;
    bytes.append(piece, static_cast<std::size_t>(got));
  }
  return {};
}

// What the tool wrote; nothing when there is no such tool.
std::optional<std::string> output_of(const std::vector<std::string>& command, const std::stop_token& stop) {
  int ends[2] = {};
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  pid_t pid = 0;
  const int failed = start(command, ends[1], pid);
  close(ends[1]);
  std::optional<std::string> bytes;
  if (failed == 0) {
    bytes = read_all(ends[0], stop);
    if (bytes->empty()) kill(pid, SIGKILL);
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {}
  }
  close(ends[0]);
  return bytes;
}

// The last ones stay: a prompt of the history may name them.
void prune(const fs::path& folder) {
  std::vector<fs::directory_entry> kept;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().filename().string().starts_with(kept_name)) kept.push_back(entry);
  if (kept.size() <= most_kept) return;
  const auto older = [](const fs::directory_entry& a, const fs::directory_entry& b) {
    std::error_code ignored;
    return a.last_write_time(ignored) < b.last_write_time(ignored);
  };
  std::sort(kept.begin(), kept.end(), older);
  for (std::size_t i = 0; i + most_kept < kept.size(); ++i) fs::remove(kept[i].path(), error);
}

std::string keep(const std::string& bytes, const std::string& folder) {
  const char* temporary = std::getenv("TMPDIR");
  const std::string place = !folder.empty() ? folder : temporary && *temporary ? temporary : "/tmp";
  std::string path = place + "/" + std::string(kept_name) + "XXXXXX.png";
  const int fd = mkostemps(path.data(), 4, O_CLOEXEC);
  if (fd < 0) return {};
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t got = ::write(fd, bytes.data() + written, bytes.size() - written);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    written += static_cast<std::size_t>(got);
  }
  const bool whole = close(fd) == 0 && written == bytes.size();
  if (!whole) unlink(path.c_str());
  if (!folder.empty()) prune(folder);
  return whole ? path : "";
}

ClipboardPicture::Answer look_for_one(const std::string& folder, const std::stop_token& stop) {
  std::string missing;
  bool asked = false;
  for (const Tool& tool : tools()) {
    if (!here(tool)) continue;
    const auto bytes = output_of(tool.command, stop);
    if (!bytes && tool.desktop) missing += (missing.empty() ? "" : " or ") + tool.command[0];
    asked |= bytes.has_value();
    if (!bytes || picture_type(*bytes).empty()) continue;
    std::string path = keep(*bytes, folder);
    if (path.empty()) return {"", "the picture could not be kept: is the disk full?"};
    return {std::move(path), ""};
  }
  if (asked) return {"", "there is no picture on the clipboard"};
  if (!missing.empty())
    return {"", "to paste a picture install " + missing + "; or name its file: @picture.png"};
  return {"", "no clipboard here (no display); name the file: @picture.png"};
}

}  // namespace

void ClipboardPicture::ask(std::function<void()> wake) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(asking_, true)) return;
  }
  thread_ = std::jthread([this, wake = std::move(wake)](const std::stop_token& stop) {
    Answer found = look_for_one(folder_, stop);
    {
      const std::lock_guard lock(mutex_);
      answer_ = std::move(found);
      asking_ = false;
    }
    if (wake) wake();
  });
}

std::optional<ClipboardPicture::Answer> ClipboardPicture::answer() {
  const std::lock_guard lock(mutex_);
  return std::exchange(answer_, std::nullopt);
}

}  // namespace tern
