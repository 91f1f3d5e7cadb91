// The picture on the clipboard, asked of the tool that this desktop has (wl-paste, xclip, pngpaste) on a
// thread of its own: such a tool waits for the program that owns the clipboard. It ends with its owner, and
// after a few seconds by itself.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace tern {

class ClipboardPicture {
 public:
  struct Answer {
    std::string path;     // of a private file with the picture; empty: there is none, and
    std::string problem;  // what to say then
  };
  // Files go into `folder` (empty: where temporary ones go).
  explicit ClipboardPicture(std::string folder) : folder_(std::move(folder)) {}
  void ask(std::function<void()> wake);  // one at a time: a second question meanwhile is the same one
  std::optional<Answer> answer();        // once, when it has come

 private:
  std::string folder_;
  std::mutex mutex_;
  bool asking_ = false;
  std::optional<Answer> answer_;
  std::jthread thread_;  // last: it is joined before the rest goes
};

}  // namespace tern
