#include "tests/support/sentence_list.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace tern {
namespace {

namespace fs = std::filesystem;

// The literals of a source in their order; those that the compiler joins are one. Comments and lines of the
// preprocessor are left out.
class Literals {
 public:
  explicit Literals(std::string_view source) : source_(source) {}

  std::vector<std::string> read() {
    while (at_ < source_.size()) step();
    return std::move(found_);
  }

 private:
  char now() const { return source_[at_]; }
  bool begins(std::string_view text) const { return source_.substr(at_).starts_with(text); }
  void skip_past(std::string_view text) {
    const std::size_t end = source_.find(text, at_);
    at_ = end == source_.npos ? source_.size() : end + text.size();
  }

  void step() {
    if (begins("//")) return skip_past("\n");
    if (begins("/*")) return skip_past("*/");
    if (now() == '#' && line_begins_) return skip_past("\n");
    if (begins("R\"")) return raw();
    if (now() == '"') return quoted();
    if (now() == '\'' && !(at_ > 0 && std::isdigit(static_cast<unsigned char>(source_[at_ - 1])) != 0))
      return letter();
    line_begins_ = now() == '\n' || (line_begins_ && now() == ' ');
    joins_ = joins_ && std::isspace(static_cast<unsigned char>(now())) != 0;
    ++at_;
  }

  void add(std::string_view text) {
    line_begins_ = false;
    if (joins_ && !found_.empty())
      found_.back() += text;
    else
      found_.emplace_back(text);
    joins_ = true;
  }

  void quoted() {
    std::size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != '"') end += source_[end] == '\\' ? 2 : 1;
    add(source_.substr(at_ + 1, end - at_ - 1));
    at_ = std::min(end + 1, source_.size());
  }

  void raw() {
    const std::size_t open = source_.find('(', at_);
    const std::string close = ")" + std::string(source_.substr(at_ + 2, open - at_ - 2)) + "\"";
    const std::size_t end = std::min(source_.find(close, open), source_.size());
    add(source_.substr(open + 1, end - open - 1));
    at_ = std::min(end + close.size(), source_.size());
  }

  void letter() {
    joins_ = false;
    at_ += at_ + 1 < source_.size() && source_[at_ + 1] == '\\' ? 3 : 2;
    skip_past("'");
  }

  std::string_view source_;
  std::size_t at_ = 0;
  bool line_begins_ = true, joins_ = false;
  std::vector<std::string> found_;
};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// "is empty": two words with a blank between; no table of programs, no statement of the database, no escape
// of the terminal.
bool is_sentence(const std::string& text) {
  for (const std::string_view begin :
       {"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "ALTER", "PRAGMA", "\\x1b", "\nCREATE", "\nALTER"})
    if (text.starts_with(begin)) return false;
  const auto blanks = std::count(text.begin(), text.end(), ' ');
  if (blanks > 8 && text.find_first_of(".,:;%") == text.npos) return false;
  for (std::size_t i = 2; i + 1 < text.size(); ++i) {
    const char before = text[i - 1];
    const bool word_before = is_letter(before) && is_letter(text[i - 2]);
    const bool stop_before =
        i > 2 && (before == ',' || before == ':' || before == ';' || before == '.') && is_letter(text[i - 2]);
    if (text[i] == ' ' && (word_before || stop_before) && is_letter(text[i + 1])) return true;
  }
  return false;
}

std::string one_line(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? std::string("\\n") : std::string(1, c);
  return out;
}

// What only the model reads, or a program.
bool for_people(std::string_view file) {
  for (const std::string_view place :
       {"tools/builtin/", "compression/text/", "compression/reading/", "agent/store/store_schema",
        "agent/compactor/prompt", "ui/text/highlight", "tools/search/file_types", "agent/gate/smuggling",
        "agent/gate/file_rules", "agent/gate/programs.inc"})
    if (file.starts_with(place)) return false;
  return true;
}

}  // namespace

std::vector<std::string> literals(std::string_view source) { return Literals(source).read(); }

std::map<std::string, std::vector<std::string>> sentences(const std::string& tree) {
  std::map<std::string, std::vector<std::string>> files;
  const fs::path root(tree);
  for (const char* folder : {"app", "agent", "ui", "tools", "compression"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      const std::string file = fs::relative(entry.path(), root).string();
      if ((extension != ".cpp" && extension != ".h" && extension != ".inc") || !for_people(file)) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string source(std::istreambuf_iterator<char>(in), {});
      for (std::string& literal : literals(source))
        if (is_sentence(literal)) files[file].push_back(one_line(literal));
    }
  return files;
}

std::string sentence_page(const std::string& tree) {
  std::string page =
      "Every sentence of the product, by file, for reading in one go. tests/words writes it.\n";
  for (const auto& [file, texts] : sentences(tree)) {
    page += "\n" + file + "\n";
    for (const std::string& text : texts) page += "  " + text + "\n";
  }
  return page;
}

}  // namespace tern
