#include "tests/support/headless.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <stdexcept>

#include "tests/support/exec_words.h"
#include "tests/support/places.h"

namespace tern::test {

namespace fs = std::filesystem;

Home::Home() {
  fs::create_directories(work);
  fs::create_directories(path / ".config/tern");
  std::ofstream(path / ".config/tern/config.json") << "{\"trusted\": [\"" << work.string() << "\"]}";
}

Headless::Headless(const Home& home, const Wire& wire, const std::string& server,
                   std::vector<std::string> arguments, std::vector<std::string> environment)
    : home_(home) {
  arguments.insert(arguments.begin(), {places::program(), "--model", wire.model});
  for (const auto& [name, value] : {std::pair<std::string, std::string>{"HOME", home.path.string()},
                                    {"PATH", "/usr/local/bin:/usr/bin:/bin"},
                                    {"LANG", "C.UTF-8"},
                                    {wire.key, "dummy-key-of-the-case"},
                                    {wire.url, server + wire.path}})
    environment.push_back(name + "=" + value);
  int to[2], from[2];
  if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0) throw std::runtime_error("no pipes");
  const ExecWords program(std::move(arguments), std::move(environment));
  const auto errors = home.path / "stderr";
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(to[0], 0), ::dup2(from[1], 1);
    put_stream(errors.c_str(), O_WRONLY | O_CREAT | O_APPEND, 2);
    if (::chdir(home.work.c_str()) != 0) ::_exit(126);
    program.become(240);
  }
  ::close(to[0]), ::close(from[1]);
  in_ = to[1], out_ = from[0];
}

Headless::~Headless() {
  if (!waited_) kill(), wait();
  close_input();
  ::close(out_);
}

void Headless::write(const std::string& line) {
  const std::string text = line + "\n";
  for (std::size_t at = 0; at < text.size();) {
    const auto n = ::write(in_, text.data() + at, text.size() - at);
    if (n <= 0) return;
    at += static_cast<std::size_t>(n);
  }
}

void Headless::close_input() {
  if (in_ >= 0) ::close(in_);
  in_ = -1;
}

std::optional<std::string> Headless::line(int milliseconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(milliseconds);
  while (true) {
    if (const auto at = buffer_.find('\n'); at != buffer_.npos) {
      const std::string found = buffer_.substr(0, at);
      buffer_.erase(0, at + 1);
      return found;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd waiting{out_, POLLIN, 0};
    late_ = left <= 0 || ::poll(&waiting, 1, static_cast<int>(left)) == 0;
    if (late_) return std::nullopt;
    char chunk[65536];
    const auto n = ::read(out_, chunk, sizeof chunk);
    if (n <= 0) return std::nullopt;
    buffer_.append(chunk, static_cast<std::size_t>(n));
  }
}

void Headless::kill() { ::kill(pid_, SIGKILL); }

int Headless::wait() {
  if (!waited_) ::waitpid(pid_, &status_, 0);
  waited_ = true;
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
}

std::string Headless::errors() const {
  std::ifstream file(home_.path / "stderr");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace tern::test
