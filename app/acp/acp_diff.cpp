#include "app/acp/acp_diff.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "compression/text/lines.h"

namespace tern {
namespace {

using nlohmann::json;

bool is_hunk(std::string_view line) { return line.starts_with("@@ -"); }

struct Hunk {
  bool open = false, new_file = false;
  std::string before, after, *last = nullptr;

  void begin(std::string_view head) {
    *this = {};
    open = true;
    new_file = head.starts_with("@@ -0,0 ");
  }
  void add(std::string_view line) {
    const char mark = line.empty() ? ' ' : line.front();
    const auto text = std::string(line.substr(std::min<std::size_t>(line.size(), 1))) + "\n";
    if (mark == '\\') return unended();
    if (mark != '+') before += text;
    if (mark != '-') after += text;
    last = mark == '-' ? &before : &after;
    both = mark == ' ';
  }
  json part(const std::string& path) const {
    json diff;
    diff["type"] = "diff";
    diff["path"] = path;
    diff["oldText"] = new_file ? json() : json(before);
    diff["newText"] = after;
    return diff;
  }

 private:
  // "\ No newline at end of file"
  void unended() {
    if (both && !before.empty()) before.pop_back();
    if (last && !last->empty()) last->pop_back();
  }
  bool both = false;
};

}  // namespace

json acp_diffs(std::string_view diff, const std::string& path) {
  json parts = json::array();
  Hunk hunk;
  const auto close = [&] {
    if (hunk.open) parts.push_back(hunk.part(path));
  };
  each_line_of(diff, [&](std::string_view line) {
    if (is_hunk(line)) {
      close();
      hunk.begin(line);
    } else if (hunk.open) {
      hunk.add(line);
    }
  });
  close();
  return parts;
}

std::size_t first_changed_line(std::string_view diff) {
  std::size_t line = 0;
  const auto plus = is_hunk(diff) ? diff.find(" +") : diff.npos;
  if (plus != diff.npos) std::from_chars(diff.data() + plus + 2, diff.data() + diff.size(), line);
  return line;
}

}  // namespace tern
