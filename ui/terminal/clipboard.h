// Copying without a clipboard library: OSC 52 through the terminal, wrapped when tmux stands between; and the
// desktop's own program where there is one, since many terminals ignore the sequence without a word.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tern {

std::string base64(std::string_view bytes);
std::string copy_sequence(std::string_view text, bool in_tmux);

// What sets the clipboard of this desktop, as words of a command; empty = nothing does, or the desktop is
// another machine's.
using Variables = std::function<std::string_view(const char* name)>;
std::vector<std::string> clipboard_program(const Variables& variables);

// Gives texts to such a program, off the thread that draws.
class ClipboardWriter {
 public:
  void write(std::vector<std::string> program, std::string text);

 private:
  std::jthread thread_;
};

}  // namespace tern
