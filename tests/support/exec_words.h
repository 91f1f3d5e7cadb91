// A program's words and environment, made before a fork: with another thread about, a sanitizer's allocator
// may be locked for ever in the child.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

namespace tern::test {

class ExecWords {
 public:
  ExecWords(std::vector<std::string> words, std::vector<std::string> environment)
      : words_(std::move(words)),
        environment_(std::move(environment)),
        argv_(pointers(words_)),
        envp_(pointers(environment_)) {}
  ExecWords(const ExecWords&) = delete;
  ExecWords& operator=(const ExecWords&) = delete;

  // In the child: a program that hangs ends by itself after so many seconds (0: never), not with all tests.
  [[noreturn]] void become(unsigned seconds = 0) const {
    ::alarm(seconds);
    ::execve(argv_[0], argv_.data(), envp_.data());
    ::_exit(127);
  }

 private:
  static std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> all;
    for (std::string& word : words) all.push_back(word.data());
    all.push_back(nullptr);
    return all;
  }
  std::vector<std::string> words_, environment_;
  std::vector<char*> argv_, envp_;
};

// In the child: makes a file one of its streams.
inline void put_stream(const char* path, int flags, int stream) {
  ::dup2(::open(path, flags | O_CLOEXEC, 0600), stream);
}

}  // namespace tern::test
