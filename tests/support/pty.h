// A real run of a program on a pseudo-terminal, seen through the VT model. Waits are for a state of the
// screen, never for a time; the deadline only ends a test that would hang.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/vt.h"

namespace tern {

class Pty {
 public:
  struct Options {
    int columns = 80, lines = 24;
    std::string cwd;
    std::vector<std::pair<std::string, std::string>> environment;  // exactly these, besides PATH
    int deadline_seconds = 20;
    std::function<void()> before_exec;  // in the child
  };
  Pty(const std::vector<std::string>& argv, const Options& options);
  ~Pty();

  void send(std::string_view bytes);
  void resize(int columns, int lines);
  // Reads until the screen satisfies the predicate; false at the deadline or when the program ended first.
  bool until(const std::function<bool(const Vt&)>& seen);
  bool until_text(std::string_view text);
  bool until_gone(std::string_view text);
  // Reads to the end of the program; its wait status, or −1 at the deadline.
  int until_exit();
  void signal(int number);
  void hang_up();  // closes the terminal's side
  pid_t pid() const { return pid_; }
  Vt& vt() { return vt_; }
  const std::string& raw() const { return raw_; }  // every byte so far
  bool modes_restored() const;                     // what was switched on was switched off, in the raw bytes

 private:
  bool read_some(int timeout_ms);
  Vt vt_;
  std::string raw_;
  int master_ = -1;
  pid_t pid_ = -1;
  int status_ = -1;
  bool ended_ = false;
  int deadline_seconds_;
};

}  // namespace tern
