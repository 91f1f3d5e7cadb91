#include "ui/history.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace tern {
namespace {

constexpr std::size_t most_entries = 2'000;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

std::string unescaped(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\' || i + 1 >= line.size())
      out += line[i];
    else
      out += line[++i] == 'n' ? '\n' : line[i];
  }
  return out;
}

}  // namespace

History::History(std::string file) : file_(std::move(file)) {
  if (file_.empty()) return;
  std::ifstream in(file_);
  for (std::string line; std::getline(in, line);) entries_.push_back(unescaped(line));
  if (entries_.size() > most_entries) entries_.erase(entries_.begin(), entries_.end() - most_entries);
}

void History::add(std::string_view prompt) {
  stop();
  if (prompt.empty() || (!entries_.empty() && entries_.back() == prompt)) return;
  entries_.emplace_back(prompt);
  if (file_.empty()) return;
  const int fd = open(file_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return;  // history is a comfort: without the file it lives in memory
  const std::string line = escaped(prompt) + '\n';
  (void)!write(fd, line.data(), line.size());
  close(fd);
}

std::optional<std::string> History::older(std::string_view draft) {
  if (!at_) {
    draft_ = draft;
    at_ = entries_.size();
  }
  if (*at_ == 0) return std::nullopt;
  return entries_[--*at_];
}

std::optional<std::string> History::newer() {
  if (!at_) return std::nullopt;
  if (++*at_ < entries_.size()) return entries_[*at_];
  at_.reset();
  return draft_;
}

std::optional<std::size_t> History::find(std::string_view text, std::size_t before) const {
  for (std::size_t i = std::min(before, entries_.size()); i-- > 0;)
    if (entries_[i].find(text) != std::string::npos) return i;
  return std::nullopt;
}

}  // namespace tern
