// The Compactor's pins: a message, a result, a file or a sentence that every tier leaves as it is.
#include <algorithm>
#include <fstream>

#include "agent/compactor/compactor.h"
#include "agent/store/compaction_text.h"
#include "compression/text/utf8.h"
#include "compression/values/tokens.h"

namespace tern {
namespace {

Tokens pinned_tokens(const Conversation& conversation) {
  Tokens total = 0;
  for (const auto& item : conversation.items)
    if (item->pinned) total += item->tokens;
  return total;
}

bool has_full_result(const Item& item, RecallId id) {
  if (item.recall == id && id) return true;
  return std::any_of(item.blocks.begin(), item.blocks.end(), [id](const Block& block) {
    const auto* result = std::get_if<ToolResult>(&block);
    return result && result->recall == id && result->form == ResultForm::full;
  });
}

ItemPtr item_with(const Conversation& conversation, ItemId id) {
  const auto& items = conversation.items;
  const auto found =
      std::find_if(items.begin(), items.end(), [id](const ItemPtr& item) { return item->id == id; });
  return found == items.end() ? nullptr : *found;
}

ItemPtr find_item(const Conversation& conversation, const std::string& what) {
  const auto& items = conversation.items;
  if (what == "last") return last_said(conversation);
  const auto id = parse_recall_id(what);
  if (!id) return nullptr;
  const auto found = std::find_if(items.begin(), items.end(),
                                  [id](const ItemPtr& item) { return has_full_result(*item, id); });
  return found == items.end() ? nullptr : *found;
}

// How the list calls it: what was asked for, and what that was.
std::string name_of(const Item& item, const std::string& what) {
  if (what != "last") return what;
  for (const auto& block : item.blocks) {
    if (const auto* text = std::get_if<Text>(&block))
      return text->text.substr(0, utf8_floor(text->text, std::min<std::size_t>(text->text.find('\n'), 60)));
    if (const auto* result = std::get_if<ToolResult>(&block)) return to_string(result->recall);
  }
  return what;
}

constexpr std::uintmax_t most_bytes = 64 * 1024;

// One word with a slash or an ending is a path; a sentence has blanks.
bool looks_like_path(const std::string& what) {
  if (what.find_first_of(" \t\n") != std::string::npos) return false;
  const auto dot = what.rfind('.');
  const bool ending = dot != std::string::npos && dot > 0 && dot + 1 < what.size() && what.size() - dot <= 9;
  return ending || what.find('/') != std::string::npos;
}

// The text of a small file, or why there is none; neither: the words name nothing on disk.
std::string read_small(const std::filesystem::path& path, const std::string& what, std::string& why) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return why = what + " is a folder; pin a file of it.", "";
  if (!std::filesystem::exists(path, error)) {
    if (looks_like_path(what))
      why = "there is no file " + what + " here; put a sentence in quotes to pin it.";
    return {};
  }
  if (!std::filesystem::is_regular_file(path, error)) return why = what + " is not a regular file.", "";
  const auto bytes = std::filesystem::file_size(path, error);
  if (error || bytes > most_bytes)
    return why = what + " has " + std::to_string(bytes / 1024) + " KB; a pinned file can have at most " +
                 std::to_string(most_bytes / 1024) + "; pin the lines that matter instead.",
           "";
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (text.empty()) why = what + (file.is_open() ? " is empty." : " cannot be read.");
  if (text.find('\0') != std::string::npos) why = what + " is not a text file.";
  return text;
}

bool quoted(const std::string& what) { return what.size() > 2 && what.front() == '"' && what.back() == '"'; }

}  // namespace

ItemPtr last_said(const Conversation& conversation) {
  const auto& items = conversation.items;
  const auto found =
      std::find_if(items.rbegin(), items.rend(), [](const ItemPtr& item) { return !item->synthetic; });
  return found == items.rend() ? nullptr : *found;
}

void Compactor::pin(Context& context, const PinThis& command) {
  if (command.what.empty()) return list_pins(context);
  // Exactly this message, where the caller has it.
  if (!command.on && command.item.value) return mark(context, command.item, command.what, false);
  if (!command.on) return unpin(context, command.what);
  if (const auto item = command.item.value ? item_with(context.conversation, command.item)
                                           : find_item(context.conversation, command.what)) {
    const auto total = pinned_tokens(context.conversation) + (item->pinned ? 0 : item->tokens);
    if (item->pinned) return world_.emit(Notice{Level::info, "Already pinned: " + command.what + "."});
    if (total > context.config.pin_budget)
      return world_.emit(Notice{Level::warning, "Not pinned: pins would take " + thousands(total) +
                                                    " of the " + thousands(context.config.pin_budget) +
                                                    " tokens allowed (pinBudget)."});
    mark(context, item->id, command.what, true);
    world_.store.add_pin(
        {0, command.what == "last" ? "message" : "result", name_of(*item, command.what), {}, item->id});
    return;
  }
  if (command.item.value)
    return world_.emit(Notice{Level::warning, "Not pinned: that message has left the context."});
  if (const auto recall = parse_recall_id(command.what)) {
    const auto original = world_.store.text(recall);
    if (!original) return world_.emit(Notice{Level::warning, "There is no " + command.what + "."});
    return pin_text(context, "result", command.what, *original);
  }
  std::string why;
  const auto words = quoted(command.what) ? command.what.substr(1, command.what.size() - 2) : command.what;
  const auto content = quoted(command.what) ? std::string() : read_small(world_.root / words, words, why);
  if (!why.empty()) return world_.emit(Notice{Level::warning, "Not pinned: " + why});
  if (!content.empty()) return pin_text(context, "file", words, content);
  pin_text(context, "sentence", words, words);
}

// By its number in the list, its name, or the id of what was pinned.
void Compactor::unpin(Context& context, const std::string& what) {
  const auto& items = context.conversation.items;
  const auto named = find_item(context.conversation, what);
  bool found = false;
  for (const auto& row : world_.store.pins()) {
    const bool meant = row.what == what || std::to_string(row.id) == what || (named && named->id == row.item);
    if (!meant) continue;
    found = true;
    world_.store.remove_pin(row.id);
    const auto item =
        std::find_if(items.begin(), items.end(), [&](const ItemPtr& i) { return i->id == row.item; });
    if (item != items.end() && (*item)->pinned) mark(context, row.item, row.what, false);
  }
  if (!found && named && named->pinned) {
    found = true;
    mark(context, named->id, what, false);
  }
  if (!found)
    world_.emit(Notice{Level::warning, "Nothing pinned is called \"" + what + "\": /pin lists the pins."});
}

// The mark itself is an edit of the log, so that it survives a restart and an undo.
void Compactor::mark(Context& context, ItemId item, const std::string& what, bool on) {
  const Batch batch{world_.store.next_batch(),
                    {{item, Pin{on}, {Tier::none, "pin", on ? "pinned" : "unpinned"}, 0}}};
  world_.store.log(
      batch,
      {.batch = batch.id, .strategy = "pin", .why = (on ? "pinned by the user: " : "unpinned: ") + what});
  context.conversation = tern::apply(context.conversation, batch.edits);
  world_.emit(Notice{Level::info, (on ? "Pinned: " : "Unpinned: ") + what + " · pins take " +
                                      thousands(pinned_tokens(context.conversation)) + " of " +
                                      thousands(context.config.pin_budget) + " tokens"});
}

void Compactor::pin_text(Context& context, const std::string& kind, const std::string& what,
                         const std::string& text) {
  const auto room = context.config.pin_budget - pinned_tokens(context.conversation);
  if (estimate(text) > room)
    return world_.emit(Notice{
        Level::warning, "Not pinned: it takes " + thousands(estimate(text)) + " tokens, pins may take " +
                            thousands(std::max<Tokens>(room, 0)) + " more (pinBudget)."});
  Item item;
  item.role = Role::user;
  item.synthetic = item.pinned = true;
  item.blocks.push_back(Text{kind == "sentence"
                                 ? "[Pinned by the user: keep to this.] " + text
                                 : "[Pinned by the user: " + kind + ' ' + what + "]\n" + text});
  const auto added = world_.append(std::move(item));
  world_.store.add_pin({0, kind, what, text, added->id});
  world_.emit(Notice{Level::info, "Pinned: " + what + " · pins take " +
                                      thousands(pinned_tokens(context.conversation)) + " of " +
                                      thousands(context.config.pin_budget) + " tokens"});
}

void Compactor::list_pins(const Context& context) {
  std::string text;
  for (const auto& row : world_.store.pins()) {
    const auto& items = context.conversation.items;
    const auto item =
        std::find_if(items.begin(), items.end(), [&](const ItemPtr& i) { return i->id == row.item; });
    text += std::to_string(row.id) + "  " + row.kind + "  " + row.what +
            (item == items.end() ? "" : "  " + thousands((*item)->tokens) + " tokens") + '\n';
  }
  if (text.empty())
    text = "Nothing is pinned. /pin last, /pin r17, /pin src/a.cpp, or /pin a sentence to keep.\n";
  text += "\nPins take " + thousands(pinned_tokens(context.conversation)) + " of " +
          thousands(context.config.pin_budget) + " tokens. /unpin NUMBER or its name takes one off.\n";
  world_.emit(Page{"Pins", std::move(text)});
}

}  // namespace tern
