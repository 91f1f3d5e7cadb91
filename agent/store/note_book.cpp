#include "agent/store/note_book.h"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "agent/store/project_dir.h"
#include "agent/store/store.h"
#include "compression/text/figures.h"

namespace tern {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t most_notes = 100, most_bytes = 64 * 1024, most_hits = 50;

// A plain file of ours, not through a link; nothing when it is none.
bool read_plain(const fs::path& file, std::string& text) {
  struct stat st {};
  if (::lstat(file.c_str(), &st) != 0 || !S_ISREG(st.st_mode) ||
      static_cast<std::size_t>(st.st_size) > most_bytes)
    return false;
  std::ifstream in(file, std::ios::binary);
  text.assign(std::istreambuf_iterator<char>(in), {});
  return text.find('\0') == std::string::npos;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::int64_t lines_in(std::string_view text) {
  return std::count(text.begin(), text.end(), '\n') + (!text.empty() && text.back() != '\n');
}

}  // namespace

std::string note_name(std::string_view path) {
  std::string name;
  for (const char c : path.empty() ? std::string_view("notes.md") : path) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') return {};
    name += c == '/' || c == '\\' ? '-' : c;
  }
  name.erase(0, name.find_first_not_of(".- "));
  constexpr std::size_t longest = 100;
  if (name.empty() || name.size() > longest) return {};
  return name.ends_with(".md") ? name : name + ".md";
}

NoteBook::NoteBook(Store& store, fs::path folder)
    : store_(store), folder_(folder.empty() ? std::move(folder) : folder / "notes") {}

NoteBook::Kept* NoteBook::find(const std::string& path) {
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& one) { return one.note.path == path; });
  return found == kept_.end() ? nullptr : &*found;
}

void NoteBook::load() {
  if (session_ == store_.session()) return;
  session_ = store_.session();
  kept_.clear();
  const Json list = Json::parse(store_.state("notes"), nullptr, false);
  if (!list.is_array()) return;
  for (const Json& one : list) {
    Kept kept;
    kept.note = {one.value("path", ""), one.value("text", ""), one.value("turn", std::uint64_t{0})};
    kept.written = kept.note.text;
    if (!kept.note.path.empty()) kept_.push_back(std::move(kept));
  }
}

void NoteBook::save() {
  std::sort(kept_.begin(), kept_.end(),
            [](const Kept& a, const Kept& b) { return a.note.path < b.note.path; });
  Json list = Json::array();
  for (const auto& [note, written] : kept_)
    list.push_back({{"path", note.path}, {"text", note.text}, {"turn", note.turn}});
  store_.set_state("notes", list.dump(-1, ' ', false, Json::error_handler_t::replace));
}

// A file by hand counts before what the store has. Where the folder is gone the store's notes stay, and are
// written again.
void NoteBook::look_at_files() {
  std::error_code error;
  if (folder_.empty() || fs::is_symlink(folder_, error) || !fs::is_directory(folder_, error)) return;
  bool changed = false;
  std::vector<std::string> there;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    const auto name = entry.path().filename().string();
    std::string text;
    if (name != note_name(name) || !read_plain(entry.path(), text)) continue;
    there.push_back(name);
    auto* kept = find(name);
    if (kept && kept->written == text) continue;
    if (!kept && kept_.size() >= most_notes) continue;
    if (!kept) kept = &kept_.emplace_back(Kept{{name, {}, 0}, {}});
    kept->note.text = kept->written = std::move(text);
    changed = true;
  }
  const auto gone = std::erase_if(kept_, [&](const Kept& one) {
    return std::find(there.begin(), there.end(), one.note.path) == there.end();
  });
  if (changed || gone > 0) save();
}

std::vector<Note> NoteBook::notes() {
  load();
  look_at_files();
  std::vector<Note> list;
  for (const auto& one : kept_) list.push_back(one.note);
  return list;
}

std::uint64_t NoteBook::last_turn() {
  std::uint64_t last = 0;
  for (const auto& note : notes()) last = std::max(last, note.turn);
  return last;
}

std::string NoteBook::list() {
  std::string text;
  for (const auto& note : notes()) text += note.path + "  " + counted(lines_in(note.text), "line") + '\n';
  return text.empty() ? "There are no notes yet." : text;
}

std::string NoteBook::read(std::string_view path) {
  if (path.empty()) {
    std::string all;
    for (const auto& note : notes())
      all += "## " + note.path + "\n\n" + note.text + (note.text.ends_with('\n') ? "\n" : "\n\n");
    return all.empty() ? "There are no notes yet." : all;
  }
  const auto name = note_name(path);
  for (const auto& note : notes())
    if (note.path == name) return note.text;
  return "There is no note " + std::string(path) + ". There is: " + list();
}

std::string NoteBook::search(std::string_view words) {
  if (words.empty()) return "Give the text to search for.";
  const auto wanted = lower(words);
  std::string found;
  std::size_t hits = 0;
  for (const auto& note : notes()) {
    std::size_t number = 0;
    for (std::string_view rest = note.text; !rest.empty();) {
      const auto line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      ++number;
      if (lower(line).find(wanted) == std::string::npos || ++hits > most_hits) continue;
      found += note.path + ':' + std::to_string(number) + "  " + std::string(line) + '\n';
    }
  }
  return found.empty() ? "No note contains \"" + std::string(words) + "\"." : found;
}

std::string NoteBook::write(std::string_view path, std::string_view text, std::uint64_t turn, bool append) {
  const auto name = note_name(path);
  if (name.empty())
    return "A note's path is a short name such as \"plan.md\", not \"" + std::string(path) + "\".";
  notes();
  auto* kept = find(name);
  if (text.empty() && append) return "Give the text to append.";
  if (text.empty()) {
    if (!kept) return "There is no note " + name + '.';
    std::error_code error;
    if (!folder_.empty()) fs::remove(folder_ / name, error);
    std::erase_if(kept_, [&](const Kept& one) { return one.note.path == name; });
    save();
    return "Removed " + name + '.';
  }
  std::string whole = append && kept ? kept->note.text : std::string();
  if (!whole.empty() && whole.back() != '\n') whole += '\n';
  whole += text;
  if (whole.back() != '\n') whole += '\n';
  if (whole.size() > most_bytes)
    return "Not kept: " + name + " would have more than 64 KB. Keep what matters, shorter.";
  if (!kept && kept_.size() >= most_notes)
    return "Not kept: there are 100 notes already. Write to one of them.";
  if (!kept) kept = &kept_.emplace_back(Kept{{name, {}, 0}, {}});
  kept->note = {name, whole, turn};
  std::string why;
  const bool filed =
      folder_.empty() || (make_private_dir(folder_, why) && write_private_file(folder_ / name, whole, why));
  kept->written = std::move(whole);
  const auto lines = counted(lines_in(kept->written), "line");
  save();
  return "Kept " + name + ", " + lines + (filed ? "." : "; its file could not be written: " + why);
}

}  // namespace tern
