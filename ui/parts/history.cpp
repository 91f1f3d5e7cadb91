#include "ui/parts/history.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace tern {
namespace {

constexpr std::size_t most_entries = 2'000, most_bytes = 4u << 20;

}  // namespace

std::string escaped_line(std::string_view text) {
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

std::string unescaped_line(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\' || i + 1 >= line.size())
      out += line[i];
    else
      out += line[++i] == 'n' ? '\n' : line[i];
  }
  return out;
}

History::History(std::string file) : file_(std::move(file)) {
  if (file_.empty()) return;
  std::ifstream in(file_);
  std::size_t bytes = 0;
  for (std::string line; std::getline(in, line); bytes += line.size() + 1)
    entries_.push_back(unescaped_line(line));
  in.close();
  if (entries_.size() <= most_entries && bytes <= most_bytes) return;
  std::size_t kept = 0;
  auto first = entries_.end();
  while (first != entries_.begin() &&
         entries_.end() - first < static_cast<std::ptrdiff_t>(most_entries / 2) &&
         kept + (first - 1)->size() <= most_bytes / 2)
    kept += (--first)->size();
  entries_.erase(entries_.begin(), first);
  rewrite();
}

// The newest half stays, so that this is rare; another tern that appends meanwhile may lose a line of
// comfort.
void History::rewrite() const {
  const std::string temp = file_ + ".new";
  const int fd = open(temp.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return;
  std::string bytes;
  for (const std::string& entry : entries_) bytes += escaped_line(entry) + '\n';
  const bool whole = write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  close(fd);
  if (!whole || std::rename(temp.c_str(), file_.c_str()) != 0) unlink(temp.c_str());
}

void History::add(std::string_view prompt) {
  stop();
  if (prompt.empty() || (!entries_.empty() && entries_.back() == prompt)) return;
  entries_.emplace_back(prompt);
  if (file_.empty()) return;
  const int fd = open(file_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return;  // history is a comfort: without the file it lives in memory
  const std::string line = escaped_line(prompt) + '\n';
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

std::optional<std::size_t> History::find_newer(std::string_view text, std::size_t after) const {
  for (std::size_t i = after + 1; i < entries_.size(); ++i)
    if (entries_[i].find(text) != std::string::npos) return i;
  return std::nullopt;
}

}  // namespace tern
