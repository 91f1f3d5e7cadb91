#include <algorithm>

#include "compression/text/lines.h"
#include "compression/text/plain_text.h"
#include "compression/text/salient.h"
#include "compression/text/utf8.h"
#include "compression/values/describe.h"

namespace tern {

namespace {

constexpr std::size_t shown_names = 5, line_bytes = 120, key_bytes = 50;

std::string plural(std::size_t n, std::string_view one, std::string_view many) {
  return grouped(n) + " " + std::string(n == 1 ? one : many);
}

std::string_view file_name(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

// A key or a column can be as long as its file.
std::string_view shortened(std::string_view name) { return name.substr(0, utf8_floor(name, key_bytes)); }

}  // namespace

std::string describe_search(std::string_view text) {
  std::size_t hits = 0;
  std::vector<std::string_view> files;
  each_line_of(text, [&](std::string_view line) {
    line = trimmed(line);
    if (line.empty() || line.starts_with("[")) return;
    ++hits;
    const auto colon = line.find(':', line.size() > 2 && line[1] == ':' ? 2 : 0);
    const auto file = line.substr(0, colon);
    if (!contains(file, " ")) add_once(files, file_name(file));
  });
  if (hits == 0) return "no hits";
  std::string out = plural(hits, "hit", "hits");
  if (!files.empty()) out += " in " + plural(files.size(), "file", "files") + " (" + joined(files, 3) + ")";
  return out;
}

std::string describe_listing(std::string_view text) {
  std::size_t entries = 0, directories = 0;
  each_line_of(text, [&](std::string_view line) {
    line = trimmed(line);
    if (line.empty() || line.starts_with("total ") || line.starts_with("[")) return;
    ++entries;
    directories += line.back() == '/' || line.starts_with("drwx");
  });
  std::string out = plural(entries, "entry", "entries");
  return directories > 0 ? out + ", " + plural(directories, "directory", "directories") : out;
}

std::string describe_diff(std::string_view text) {
  std::size_t plus = 0, minus = 0;
  std::vector<std::string_view> files;
  each_line_of(text, [&](std::string_view line) {
    if (line.starts_with("+++ ") || line.starts_with("--- ")) {
      auto path = trimmed(line.substr(4));
      if (path != "/dev/null") add_once(files, file_name(path.substr(0, path.find('\t'))));
    } else if (!line.empty()) {
      plus += line.front() == '+';
      minus += line.front() == '-';
    }
  });
  std::string out =
      plural(files.size(), "file", "files") + ", +" + grouped(plus) + " \xE2\x88\x92" + grouped(minus);
  return files.empty() ? out : out + " (" + joined(files, 4) + ")";
}

namespace {

// Walks the top of a JSON text without building it: keys of the outer object, or of the first object of an
// array.
class JsonShape {
 public:
  explicit JsonShape(std::string_view text) : text_(text) {}

  std::string describe() {
    walk();
    const std::string keys = keys_.empty() ? "" : " {" + joined(keys_, shown_names) + "}";
    if (text_.front() == '{') return "object" + keys;
    return "array of " + plural(elements_, "element", "elements") + keys;
  }

 private:
  void walk() {
    const bool array = text_.front() == '[';
    const int key_depth = array ? 2 : 1;
    bool content = false;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '"') {
        const std::size_t end = end_of_string(i);
        const auto after = text_.find_first_not_of(" \t\r\n", std::min(end + 1, text_.size()));
        const bool is_key = after != text_.npos && text_[after] == ':';
        if (is_key && depth_ == key_depth && (!array || elements_ == 0))
          add_once(keys_, shortened(text_.substr(i + 1, end - i - 1)));
        i = end;
        content = content || depth_ == 1;
      } else if (c == '{' || c == '[') {
        content = content || depth_ == 1;
        ++depth_;
      } else if (c == '}' || c == ']') {
        --depth_;
      } else if (c == ',' && depth_ == 1 && array) {
        ++elements_;
      } else if (c > ' ' && depth_ == 1) {
        content = true;
      }
    }
    if (array && content) ++elements_;
  }

  std::size_t end_of_string(std::size_t quote) const {
    std::size_t i = quote + 1;
    while (i < text_.size() && text_[i] != '"') i += text_[i] == '\\' ? 2 : 1;
    return std::min(i, text_.size());
  }

  std::string_view text_;
  std::vector<std::string_view> keys_;
  std::size_t elements_ = 0;
  int depth_ = 0;
};

}  // namespace

std::string describe_json(std::string_view text) {
  text = trimmed(text.substr(std::min(text.find_first_of("{["), text.size())));
  return text.empty() ? "empty" : JsonShape(text).describe();
}

std::string describe_csv(std::string_view text) {
  const auto header = text.substr(0, text.find('\n'));
  const char separator = header.find('\t') != header.npos  ? '\t'
                         : header.find(';') != header.npos ? ';'
                                                           : ',';
  std::vector<std::string_view> columns;
  std::size_t count = 1;
  for (auto rest = header;;) {
    const auto end = rest.find(separator);
    add_once(columns, shortened(trimmed(rest.substr(0, end))));
    if (end == rest.npos) break;
    rest.remove_prefix(end + 1);
    ++count;
  }
  const auto lines =
      static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + (text.ends_with('\n') ? 0 : 1);
  return plural(lines - 1, "row", "rows") + " of " + plural(count, "column", "columns") + " (" +
         joined(columns, shown_names) + ")";
}

std::string describe_log(std::string_view text) {
  constexpr std::size_t most = 200;
  const auto errors = salient_lines(text, most);
  const auto strong =
      std::find_if(errors.begin(), errors.end(), [](const SalientLine& line) { return line.strong; });
  if (!errors.empty()) {
    const auto& first = strong != errors.end() ? *strong : errors.front();
    std::string out = clipped(trimmed(first.text), line_bytes);
    return errors.size() > 1 ? out + " (+" + std::to_string(errors.size() - 1) + " like it)" : out;
  }
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == text.npos) return {};
  const auto start = text.rfind('\n', end);
  return clipped(trimmed(text.substr(start == text.npos ? 0 : start + 1,
                                     end - (start == text.npos ? 0 : start + 1) + 1)),
                 line_bytes);
}

}  // namespace tern
