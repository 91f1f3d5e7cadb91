// The Compactor's pins: a message, a result, a file or a sentence that every tier leaves as it is.
#include <algorithm>
#include <fstream>

#include "agent/compactor.h"
#include "compression/tokens.h"

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

ItemPtr find_item(const Conversation& conversation, const std::string& what) {
  const auto& items = conversation.items;
  if (what == "last") {
    const auto found = std::find_if(items.rbegin(), items.rend(), [](const ItemPtr& item) { return !item->synthetic; });
    return found == items.rend() ? nullptr : *found;
  }
  const auto id = parse_recall_id(what);
  if (!id) return nullptr;
  const auto found = std::find_if(items.begin(), items.end(), [id](const ItemPtr& item) { return has_full_result(*item, id); });
  return found == items.end() ? nullptr : *found;
}

// How the list calls it: what was asked for, and what that was.
std::string name_of(const Item& item, const std::string& what) {
  if (what != "last") return what;
  for (const auto& block : item.blocks) {
    if (const auto* text = std::get_if<Text>(&block))
      return text->text.substr(0, std::min<std::size_t>(text->text.find('\n'), 60));
    if (const auto* result = std::get_if<ToolResult>(&block)) return to_string(result->recall);
  }
  return what;
}

std::string read_small(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) > 64 * 1024) return {};
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

void Compactor::pin(Context& context, const PinThis& command) {
  if (command.what.empty()) return list_pins(context);
  if (!command.on) return unpin(context, command.what);
  if (const auto item = find_item(context.conversation, command.what)) {
    const auto total = pinned_tokens(context.conversation) + (item->pinned ? 0 : item->tokens);
    if (item->pinned) return world_.emit(Notice{Level::info, "Already pinned: " + command.what + "."});
    if (total > context.config.pin_budget)
      return world_.emit(Notice{Level::warning, "Not pinned: pins would take " + thousands(total) + " of the " +
                                                    thousands(context.config.pin_budget) + " tokens they may (pinBudget)."});
    mark(context, item->id, command.what, true);
    world_.store.add_pin({0, command.what == "last" ? "message" : "result", name_of(*item, command.what), {}, item->id});
    return;
  }
  if (const auto recall = parse_recall_id(command.what)) {
    const auto original = world_.store.text(recall);
    if (!original) return world_.emit(Notice{Level::warning, "There is no " + command.what + "."});
    return pin_text(context, "result", command.what, *original);
  }
  if (const auto content = read_small(world_.root / command.what); !content.empty())
    return pin_text(context, "file", command.what, content);
  pin_text(context, "sentence", command.what, command.what);
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
    const auto item = std::find_if(items.begin(), items.end(), [&](const ItemPtr& i) { return i->id == row.item; });
    if (item != items.end() && (*item)->pinned) mark(context, row.item, row.what, false);
  }
  if (!found && named && named->pinned) {
    found = true;
    mark(context, named->id, what, false);
  }
  if (!found) world_.emit(Notice{Level::warning, "Nothing pinned is called \"" + what + "\": /pin lists the pins."});
}

// The mark itself is an edit of the log, so that it survives a restart and an undo.
void Compactor::mark(Context& context, ItemId item, const std::string& what, bool on) {
  const Batch batch{world_.store.next_batch(), {{item, Pin{on}, {Tier::none, "pin", on ? "pinned" : "unpinned"}, 0}}};
  world_.store.log(batch, {.batch = batch.id, .strategy = "pin", .why = (on ? "pinned by the user: " : "unpinned: ") + what});
  context.conversation = tern::apply(context.conversation, batch.edits);
  world_.emit(Notice{Level::info, (on ? "Pinned: " : "Unpinned: ") + what + " · pins take " +
                                      thousands(pinned_tokens(context.conversation)) + " of " +
                                      thousands(context.config.pin_budget) + " tokens"});
}

void Compactor::pin_text(Context& context, const std::string& kind, const std::string& what, const std::string& text) {
  const auto room = context.config.pin_budget - pinned_tokens(context.conversation);
  if (estimate(text) > room)
    return world_.emit(Notice{Level::warning, "Not pinned: it takes " + thousands(estimate(text)) + " tokens, pins may take " +
                                                  thousands(std::max<Tokens>(room, 0)) + " more (pinBudget)."});
  Item item;
  item.role = Role::user;
  item.synthetic = item.pinned = true;
  item.blocks.push_back(Text{kind == "sentence" ? "[Pinned by the user: keep to this.] " + text
                                                : "[Pinned by the user: " + kind + ' ' + what + "]\n" + text});
  const auto added = world_.append(std::move(item));
  world_.store.add_pin({0, kind, what, text, added->id});
  world_.emit(Notice{Level::info, "Pinned: " + what + " · pins take " + thousands(pinned_tokens(context.conversation)) + " of " +
                                      thousands(context.config.pin_budget) + " tokens"});
}

void Compactor::list_pins(const Context& context) {
  std::string text;
  for (const auto& row : world_.store.pins()) {
    const auto& items = context.conversation.items;
    const auto item = std::find_if(items.begin(), items.end(), [&](const ItemPtr& i) { return i->id == row.item; });
    text += std::to_string(row.id) + "  " + row.kind + "  " + row.what +
            (item == items.end() ? "" : "  " + thousands((*item)->tokens) + " tokens") + '\n';
  }
  if (text.empty()) text = "Nothing is pinned. /pin last, /pin r17, /pin src/a.cpp, or /pin a sentence to keep.\n";
  text += "\nPins take " + thousands(pinned_tokens(context.conversation)) + " of " + thousands(context.config.pin_budget) +
          " tokens. /unpin NUMBER or its name takes one off.\n";
  world_.emit(Page{"Pins", std::move(text)});
}

}  // namespace tern
