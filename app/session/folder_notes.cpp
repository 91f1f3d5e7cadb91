// A folder's own AGENTS.md joins the conversation once, before the request that follows the first tool call
// in that folder, and is pinned there like a skill's instructions.
#include "app/session/folder_notes.h"

#include <algorithm>
#include <fstream>

#include "agent/compactor/prompt.h"
#include "agent/models/redact.h"
#include "app/session/session_commands.h"
#include "compression/values/tokens.h"
#include "tools/workspace/ignore.h"

namespace tern {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view begin = "<memory file=\"";
constexpr Tokens most_of_one = 5'000, most_pinned = 15'000;  // what is more may be folded away

// The file that an item of put_in_folder_memory() tells of; empty for any other.
std::string told_by(const Item& item) {
  const auto* text =
      item.synthetic && item.blocks.size() == 1 ? std::get_if<Text>(&item.blocks.front()) : nullptr;
  if (!text || !text->text.starts_with(begin)) return {};
  return text->text.substr(begin.size(), text->text.find('"', begin.size()) - begin.size());
}

Tokens pinned_notes(const Conversation& conversation) {
  Tokens tokens = 0;
  for (const auto& item : conversation.items)
    if (item->pinned && !told_by(*item).empty()) tokens += item->tokens;
  return tokens;
}

// What git ignores nobody works on here: the instructions a dependency brings along do not count.
bool ignored(const fs::path& folder, const fs::path& root) {
  const auto relative = folder.lexically_relative(root);
  fs::path base = root;
  for (auto at = relative.begin(); at != relative.end(); base /= *at, ++at) {
    std::ifstream file(base / ".gitignore", std::ios::binary);
    const auto rules = IgnoreRules::parse(std::string(std::istreambuf_iterator<char>(file), {}));
    fs::path below;
    for (auto part = at; part != relative.end(); ++part)
      if (rules.match((below /= *part).native(), true) == IgnoreMatch::ignored) return true;
  }
  return false;
}

}  // namespace

std::vector<std::pair<std::string, Tokens>> folder_notes(const Conversation& conversation) {
  std::vector<std::pair<std::string, Tokens>> notes;
  for (const auto& item : conversation.items)
    if (auto file = told_by(*item); !file.empty()) notes.emplace_back(std::move(file), item->tokens);
  return notes;
}

void SessionCommands::put_in_folder_memory() {
  if (!s.trusted_) return;
  const auto& root = s.workspace_->root();
  std::vector<fs::path> met;
  for (const auto& file : s.files_.known())
    for (auto folder = file.parent_path(); folder != root && is_under(root, folder);
         folder = folder.parent_path()) {
      if (!s.brought_.folders.insert(folder).second) break;  // so were those above it
      met.push_back(folder);
    }
  std::sort(met.begin(), met.end());  // the nearest last
  for (const auto& folder : met)
    for (const auto& file : folder_memory(folder, root)) {
      const auto told = folder_notes(s.context_.conversation);
      const auto is_it = [&](const auto& note) { return note.first == file.path.string(); };
      if (file.text.empty() || ignored(folder, root) || std::any_of(told.begin(), told.end(), is_it))
        continue;
      Item item;
      item.role = Role::user;
      item.synthetic = true;
      item.blocks.push_back(Text{redact(memory_text(file)) + "[The instructions for the files in " +
                                 s.workspace_->display(folder) + " are above.]"});
      const auto tokens = make_item(item)->tokens;
      item.pinned = tokens <= most_of_one && pinned_notes(s.context_.conversation) + tokens <= most_pinned;
      append(*s.agent_, std::move(item));
    }
}

}  // namespace tern
