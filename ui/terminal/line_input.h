// Standard input as lines, wakes from the worker, and signals: whichever comes first.
#pragma once

#include <deque>
#include <string>

namespace tern {

class LineInput {
 public:
  LineInput();
  ~LineInput();
  LineInput(const LineInput&) = delete;
  LineInput& operator=(const LineInput&) = delete;

  void wake();  // any thread
  // Blocks until there is something; the number of a signal, or 0.
  int wait(bool want_line);
  bool has_line() const { return !lines_.empty(); }
  bool ended() const { return ended_ && lines_.empty(); }
  std::string line();

 private:
  void read_more();

  int wake_, signals_ = -1;
  bool ended_ = false;
  std::string rest_;
  std::deque<std::string> lines_;
};

}  // namespace tern
