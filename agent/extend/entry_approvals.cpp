#include "agent/extend/entry_approvals.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tools/workspace/private_file.h"

namespace tern {
namespace {

namespace fs = std::filesystem;

struct AnswerWord {
  EntryAnswer answer;
  const char* word;
};
constexpr AnswerWord kWords[] = {{EntryAnswer::refused, "refused"},
                                 {EntryAnswer::approved, "approved"},
                                 {EntryAnswer::granted, "granted"}};

std::string key_of(const fs::path& folder) {
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  return error ? folder.string() : real.string();
}

}  // namespace

EntryApprovals::EntryApprovals(fs::path file) : file_(std::move(file)) { load(); }

void EntryApprovals::load() {
  if (file_.empty() || !is_private_file(file_)) return;
  rows_.clear();
  std::ifstream in(file_);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    Row row;
    words >> row.hash >> row.answer;
    words.get();
    std::getline(words, row.folder);
    if (!row.folder.empty()) rows_.push_back(std::move(row));
  }
}

EntryAnswer EntryApprovals::of(const fs::path& folder, std::string_view hash) const {
  const std::string key = key_of(folder);
  for (const Row& row : rows_) {
    if (row.hash != hash || row.folder != key) continue;
    for (const auto& [answer, word] : kWords)
      if (row.answer == word) return answer;
    return EntryAnswer::refused;
  }
  return EntryAnswer::unknown;
}

std::string EntryApprovals::decide(const fs::path& folder, std::string_view hash, EntryAnswer answer) {
  load();  // another tern may have written since
  const std::string key = key_of(folder);
  std::erase_if(rows_, [&](const Row& row) { return row.hash == hash && row.folder == key; });
  for (const auto& [known, word] : kWords)
    if (known == answer) rows_.push_back({std::string(hash), word, key});
  return save();
}

std::string EntryApprovals::forget(const fs::path& folder) {
  load();
  const std::string key = key_of(folder);
  if (std::erase_if(rows_, [&](const Row& row) { return row.folder == key; }) == 0) return {};
  return save();
}

std::string EntryApprovals::save() const {
  if (file_.empty()) return "there is no home directory to keep what was approved in";
  std::string text;
  for (const Row& row : rows_)
    if (row.folder.find('\n') == std::string::npos)
      text += row.hash + ' ' + row.answer + ' ' + row.folder + '\n';
  return write_private_file(file_, text);
}

fs::path approvals_file(std::string_view name) {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/')
    return fs::path(state) / "tern" / name;
  const char* home = std::getenv("HOME");
  return home == nullptr || *home != '/' ? fs::path() : fs::path(home) / ".local/state/tern" / name;
}

}  // namespace tern
