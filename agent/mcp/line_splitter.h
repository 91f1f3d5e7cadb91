// Lines out of bytes, with a limit: of a longer line only both ends are kept. Pure; the same lines however
// the bytes are cut.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace tern {

class LineSplitter {
 public:
  struct Lines {
    std::function<void(std::string)> whole;  // without its newline; blank ones are left out
    std::function<void(std::string_view head, std::string_view tail)> too_long;
  };
  static constexpr std::size_t kept_end = 256;  // of each end of a line that is too long

  explicit LineSplitter(std::size_t limit) : limit_(limit) {}
  void feed(std::string_view bytes, const Lines& lines);

 private:
  void add(std::string_view part);
  void finish(const Lines& lines);

  std::size_t limit_;
  std::string line_, tail_;
  bool too_long_ = false;
};

}  // namespace tern
