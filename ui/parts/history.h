// Prompts said before, newest last; kept in one file of the project's state folder (0600), appended line by
// line and cut to its newest half when it has grown too large.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

class History {
 public:
  explicit History(std::string file = {});  // no file: in memory only
  void add(std::string_view prompt);
  // Walks with ↑ and ↓. The draft is what stood in the composer when the walk began and comes back at its
  // end.
  std::optional<std::string> older(std::string_view draft);
  std::optional<std::string> newer();
  void stop() { at_.reset(); }
  // Index of the newest entry before `before` that holds the text; for Ctrl-R.
  std::optional<std::size_t> find(std::string_view text, std::size_t before) const;
  std::optional<std::size_t> find_newer(std::string_view text,
                                        std::size_t after) const;  // the oldest one behind it
  const std::vector<std::string>& entries() const { return entries_; }

 private:
  void rewrite() const;
  std::string file_;
  std::vector<std::string> entries_;
  std::optional<std::size_t> at_;
  std::string draft_;
};

// A text as one line of a file, and back.
std::string escaped_line(std::string_view text);
std::string unescaped_line(std::string_view line);

}  // namespace tern
