// Sees every program that is started, every connection and every file that is opened or changed by a child
// and all it starts: a seccomp filter in the child hands each such call to a thread here, which notes it and
// lets it go on.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tern::test {

struct Seen {
  std::string call;    // "execve" "connect" "openat" "mkdirat" …
  std::string what;    // absolute path, or "127.0.0.1:80"
  bool write = false;  // could make or change a file
};

class Observer {
 public:
  Observer();
  ~Observer();
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  // In the child, just before exec. False: this kernel cannot, and nothing is seen.
  bool watch_me() const;
  // After the fork, in the parent.
  void begin();
  bool works() const;
  void finish();  // waits until the child and all it started are gone; the destructor does, too
  std::vector<Seen> seen() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Everything seen that `choose` names: "programs" "connections" "changes" "reads".
std::vector<std::string> of_kind(const std::vector<Seen>& seen, std::string_view kind);

}  // namespace tern::test
