#include "tests/support/shell_run.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "tests/support/exec_words.h"
#include "tests/support/places.h"

namespace tern::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

ShellRun shell_run(const Home& home, const std::string& line, std::vector<std::string> environment) {
  const auto out = home.path / "out", err = home.path / "err";
  for (const auto& [name, value] : {std::pair<std::string, std::string>{"HOME", home.path.string()},
                                    {"PATH", "/usr/local/bin:/usr/bin:/bin"},
                                    {"LANG", "C.UTF-8"},
                                    {"TERN", places::program()}})
    environment.push_back(name + "=" + value);
  const ExecWords shell({"/bin/sh", "-c", line}, std::move(environment));
  const pid_t child = ::fork();
  if (child == 0) {
    put_stream("/dev/null", O_RDONLY, 0);
    put_stream(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 1);
    put_stream(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 2);
    if (::chdir(home.work.c_str()) != 0) ::_exit(126);
    shell.become(240);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of(out), text_of(err)};
}

std::vector<std::string> service(const Wire& wire, const std::string& url) {
  return {std::string(wire.key) + "=dummy-key-of-the-case", std::string(wire.url) + "=" + url + wire.path};
}

}  // namespace tern::test
