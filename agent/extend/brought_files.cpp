#include "agent/extend/brought_files.h"

#include <algorithm>
#include <fstream>

#include "compression/text/lines.h"
#include "compression/text/sha256.h"
#include "tools/workspace/workspace.h"

namespace tern {
namespace {

namespace fs = std::filesystem;

constexpr int deepest = 6;
constexpr int most_entries = 2'000;

// In double quotes a backslash escapes, in single ones a quote is doubled.
std::string unquoted(std::string_view text) {
  text = trimmed(text);
  const bool quoted =
      text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
  if (!quoted) return std::string(text);
  const char quote = text.front();
  text = text.substr(1, text.size() - 2);
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool more = i + 1 < text.size();
    const bool escape =
        quote == '"' ? text[i] == '\\' && more : text[i] == quote && more && text[i + 1] == quote;
    if (escape) ++i;
    plain += escape && text[i] == 'n' ? '\n' : text[i];
  }
  return plain;
}

bool block_sign(const std::string& value) {
  return value == "|" || value == ">" || value == "|-" || value == ">-";
}

// A line that belongs to the field before it: an item of its list, or more of its text.
void go_on(Frontmatter& head, std::string_view line) {
  if (head.fields.empty()) return;
  auto& value = head.fields.back().second;
  auto more = trimmed(line);
  const bool item = more.starts_with("- ");
  if (item) more.remove_prefix(2);
  if (block_sign(value)) value.clear();
  if (!value.empty()) value += item ? ", " : " ";
  value += unquoted(more);
}

}  // namespace

std::string brought_hash(const BroughtFolder& folder, const fs::path& relative, std::string_view text) {
  return sha256((folder.folder.filename() / relative).string() + '\n' + std::string(text));
}

std::vector<fs::path> files_of(const BroughtFolder& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  fs::recursive_directory_iterator at(folder.folder, options, error), end;
  for (int seen = 0; !error && at != end && seen < most_entries; ++seen, at.increment(error)) {
    std::error_code ignored;
    if (at.depth() >= deepest) at.disable_recursion_pending();
    if (at->is_regular_file(ignored)) found.push_back(at->path().lexically_relative(folder.folder));
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string shown_path(const BroughtFolder& folder, const fs::path& relative, const fs::path& home) {
  const auto path = folder.folder / relative;
  if (folder.of_project()) return path.lexically_relative(folder.within).string();
  const auto below_home = path.lexically_relative(home);
  const bool inside = !home.empty() && !below_home.empty() && *below_home.begin() != "..";
  return inside ? "~/" + below_home.string() : path.string();
}

std::string read_brought(const BroughtFolder& folder, const fs::path& relative) {
  const auto path = folder.folder / relative;
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > brought_limit || error) return {};
  if (folder.of_project()) {
    const auto real = fs::canonical(path, error), within = fs::canonical(folder.within, error);
    if (error || !is_under(within, real)) return {};
  }
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string Frontmatter::get(std::string_view key) const {
  for (const auto& [name, value] : fields)
    if (name == key) return value;
  return {};
}

bool Frontmatter::is(std::string_view key) const {
  const auto value = get(key);
  return value == "true" || value == "yes" || value == "on";
}

Frontmatter frontmatter(std::string_view text) {
  Frontmatter head;
  take(text, "\xEF\xBB\xBF");
  const auto whole = text;
  const auto next_line = [&text] {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return line;
  };
  bool closed = false;
  const bool opened = trimmed(next_line()) == "---";
  while (opened && !text.empty() && !closed) {
    const auto line = next_line();
    const auto colon = line.find(':');
    const bool inner = !line.empty() && (line.front() == ' ' || line.front() == '\t' || line.front() == '-');
    closed = trimmed(line) == "---";
    if (closed || trimmed(line).empty() || line.front() == '#') continue;
    if (inner)
      go_on(head, line);
    else if (colon != line.npos)
      head.fields.emplace_back(trimmed(line.substr(0, colon)), unquoted(line.substr(colon + 1)));
  }
  if (!closed) return {.fields = {}, .body = std::string(whole)};
  head.body = std::string(text.substr(std::min(text.find_first_not_of("\r\n"), text.size())));
  return head;
}

std::vector<std::string> list_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  int depth = 0;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(unquoted(std::exchange(word, {})));
  };
  text = trimmed(text);
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth <= 0 && (c == ' ' || c == ',' || c == '\t' || c == '\n'))
      end_word();
    else
      word += c;
  }
  end_word();
  return words;
}

}  // namespace tern
