// The real program without a terminal: pipes at its standard input and output, a home of its own, the fake
// server as its service.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"
#include "tests/support/wires.h"

namespace tern::test {

// A fresh home with a trusted working folder, removed at the end.
struct Home {
  Home();
  TempDir dir;
  const std::filesystem::path &path = dir.path(), work = path / "work";
};

class Headless {
 public:
  Headless(const Home& home, const Wire& wire, const std::string& server, std::vector<std::string> arguments,
           std::vector<std::string> more_environment = {});
  ~Headless();  // kills what still runs
  Headless(const Headless&) = delete;
  Headless& operator=(const Headless&) = delete;

  void write(const std::string& line);  // to its standard input, with a line feed
  void close_input();
  // The next line of its output; nothing at its end, or when the time is over (`late` says which).
  std::optional<std::string> line(int milliseconds = 60'000);
  bool late() const { return late_; }
  void kill();
  int wait();  // exit code, or 128 + signal
  pid_t pid() const { return pid_; }
  std::string errors() const;  // standard error so far

 private:
  const Home& home_;
  pid_t pid_ = -1;
  int in_ = -1, out_ = -1, status_ = 0;
  bool late_ = false, waited_ = false;
  std::string buffer_;
};

}  // namespace tern::test
