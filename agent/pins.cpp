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

std::string read_small(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) > 64 * 1024) return {};
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

void Compactor::pin(Context& context, const PinThis& command) {
  if (command.what.empty()) return list_pins(context);
  auto item = find_item(context.conversation, command.what);
  if (!item && !command.on) {
    for (const auto& row : world_.store.pins())
      if (row.what == command.what || std::to_string(row.id) == command.what) {
        world_.store.remove_pin(row.id);
        const auto& items = context.conversation.items;
        const auto found = std::find_if(items.begin(), items.end(), [&](const ItemPtr& i) { return i->id == row.item; });
        if (found != items.end()) item = *found;
      }
  }
  if (!item && !command.on) {
    world_.emit(Notice{Level::warning, "Nothing pinned is called \"" + command.what + "\": /pin lists the pins."});
    return;
  }
  if (!item) {
    const auto recall = parse_recall_id(command.what);
    if (recall) {
      const auto original = world_.store.text(recall);
      if (!original) return world_.emit(Notice{Level::warning, "There is no " + command.what + "."});
      return pin_text(context, "result", command.what, *original);
    }
    if (const auto content = read_small(world_.root / command.what); !content.empty())
      return pin_text(context, "file", command.what, content);
    return pin_text(context, "sentence", command.what, command.what);
  }
  if (command.on && pinned_tokens(context.conversation) + item->tokens > context.config.pin_budget)
    return world_.emit(Notice{Level::warning, "Not pinned: pins would take " +
                                                  thousands(pinned_tokens(context.conversation) + item->tokens) + " of the " +
                                                  thousands(context.config.pin_budget) + " tokens they may (pinBudget)."});
  const Batch batch{world_.store.next_batch(),
                    {{item->id, Pin{command.on}, {Tier::none, "pin", command.on ? "pinned" : "unpinned"}, 0}}};
  CompactionRecord record;
  record.batch = batch.id;
  record.strategy = "pin";
  record.why = command.on ? "pinned by the user" : "unpinned by the user";
  world_.store.log(batch, record);
  context.conversation = tern::apply(context.conversation, batch.edits);
  if (command.on) world_.store.add_pin({0, "message", command.what, {}, item->id});
  world_.emit(Notice{Level::info, (command.on ? "Pinned: " : "Unpinned: ") + command.what + " · pins take " +
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
  for (const auto& row : world_.store.pins()) text += std::to_string(row.id) + "  " + row.kind + "  " + row.what + '\n';
  if (text.empty()) text = "Nothing is pinned. /pin last, /pin r17, /pin src/a.cpp, or /pin a sentence to keep.\n";
  text += "\nPins take " + thousands(pinned_tokens(context.conversation)) + " of " + thousands(context.config.pin_budget) +
          " tokens. /unpin NUMBER or its name takes one off.\n";
  world_.emit(Page{"Pins", std::move(text)});
}

}  // namespace tern
