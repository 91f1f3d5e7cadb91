#include "compression/plan/by_hand.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "compression/text/utf8.h"
#include "compression/values/blocks.h"
#include "compression/values/describe.h"
#include "compression/values/tokens.h"

namespace tern {

namespace {

constexpr std::size_t longest_line = 80;

std::string first_words(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) return {};
  text = text.substr(begin);
  text = text.substr(0, text.find('\n'));
  return std::string(text.substr(0, utf8_floor(text, longest_line)));
}

// What a message says besides its calls, results and thoughts.
bool is_said(const Block& block) {
  return !std::holds_alternative<Thinking>(block) && !std::holds_alternative<ToolCall>(block) &&
         !std::holds_alternative<ToolResult>(block);
}

std::string name_of(RecallId recall, ItemId item) {
  return recall ? to_string(recall) : "m" + std::to_string(item.value);
}

const ToolCall* call_of(const Item* before, std::string_view id, std::size_t* block = nullptr) {
  for (std::size_t b = 0; before && b < before->blocks.size(); ++b) {
    const auto* call = std::get_if<ToolCall>(&before->blocks[b]);
    if (!call || call->id != id) continue;
    if (block) *block = b;
    return call;
  }
  return nullptr;
}

HandUnit result_unit(const Item& item, std::size_t block, const Item* before) {
  const auto& result = std::get<ToolResult>(item.blocks[block]);
  const auto* call = call_of(before, result.call_id);
  return {.item = item.id,
          .result = block,
          .id = name_of(result.recall, item.id),
          .kind = result.tool,
          .subject = result.subject,
          .tokens = estimate(item.blocks[block]) + (call ? estimate(Block{*call}) : 0),
          .pinned = item.pinned || (before && call && before->pinned),
          .shortened = result.form != ResultForm::full};
}

std::optional<HandUnit> words_unit(const Item& item) {
  HandUnit unit{.item = item.id, .id = name_of(item.recall, item.id), .pinned = item.pinned};
  unit.kind = item.role == Role::assistant ? "answer" : item.synthetic ? "note" : "you";
  bool said = false;
  for (const auto& block : item.blocks) {
    if (!is_said(block)) continue;
    said = true;
    unit.tokens += estimate(block);
    if (const auto* text = std::get_if<Text>(&block); text && unit.subject.empty())
      unit.subject = first_words(text->text);
    if (const auto* summary = std::get_if<Summary>(&block))
      unit.kind = "summary", unit.subject = first_words(summary->text);
    if (std::holds_alternative<Image>(block)) unit.kind = "image";
    if (std::holds_alternative<Document>(block)) unit.kind = "document";
  }
  return said ? std::optional(unit) : std::nullopt;
}

// What becomes of each block of the items chosen: gone, or something shorter.
class Hand {
 public:
  Hand(const Conversation& conversation, const std::vector<HandUnit>& units, const char* unit)
      : conversation_(conversation), why_{Tier::micro, unit, std::string(unit) + " by hand"} {
    for (std::size_t i = 0; i < conversation.items.size(); ++i) at_[conversation.items[i]->id.value] = i;
    for (const auto& one : units) {
      const auto found = at_.find(one.item.value);
      if (found == at_.end()) continue;
      choose(found->second, one.result);
    }
  }

  Edits drop() {
    std::vector<bool> gone(conversation_.items.size());
    for (std::size_t i = 0; i < gone.size(); ++i) gone[i] = wholly_chosen(i);
    for (std::size_t i = 0; i < gone.size(); ++i)  // a call and its result leave together or not at all
      if (gone[i] && has<ToolCall>(item(i)) && !(i + 1 < gone.size() && gone[i + 1])) gone[i] = false;
    for (std::size_t i = 1; i < gone.size(); ++i)
      if (gone[i] && has<ToolResult>(item(i)) && !gone[i - 1]) gone[i] = false;
    keep_order(gone);
    for (std::size_t i = 0; i < gone.size(); ++i) {
      if (gone[i])
        edits_.push_back({item(i).id, Drop{}, why_, item(i).tokens});
      else
        for (const auto block : chosen(i)) replace(i, block, stub(i, block));
    }
    return std::move(edits_);
  }

  Edits fold() {
    for (std::size_t i = 0; i < conversation_.items.size(); ++i)
      for (const auto block : chosen(i)) replace(i, block, folded(i, block));
    return std::move(edits_);
  }

 private:
  const Item& item(std::size_t i) const { return *conversation_.items[i]; }
  const std::set<std::size_t>& chosen(std::size_t i) const {
    static const std::set<std::size_t> none;
    const auto found = chosen_.find(i);
    return found == chosen_.end() ? none : found->second;
  }

  void choose(std::size_t i, std::optional<std::size_t> result) {
    if (!result) {
      for (std::size_t b = 0; b < item(i).blocks.size(); ++b)
        if (is_said(item(i).blocks[b])) chosen_[i].insert(b);
      return;
    }
    const auto* block =
        *result < item(i).blocks.size() ? std::get_if<ToolResult>(&item(i).blocks[*result]) : nullptr;
    std::size_t call = 0;
    if (!block || i == 0 || !call_of(conversation_.items[i - 1].get(), block->call_id, &call)) return;
    chosen_[i].insert(*result);
    chosen_[i - 1].insert(call);
  }

  bool wholly_chosen(std::size_t i) const {
    if (chosen(i).empty()) return false;
    for (std::size_t b = 0; b < item(i).blocks.size(); ++b)
      if (!chosen(i).count(b) && !std::holds_alternative<Thinking>(item(i).blocks[b])) return false;
    return true;
  }

  // Somebody speaks before the model does, and between two of its messages: there a person's message leaves
  // its place.
  void keep_order(std::vector<bool>& gone) const {
    std::optional<std::size_t> words;  // a message without results that goes, since the last one that stays
    bool spoken = false;               // by the user, since the model
    for (std::size_t i = 0; i < gone.size(); ++i) {
      if (item(i).role == Role::system) continue;
      if (gone[i]) {
        if (item(i).role == Role::user && !has<ToolResult>(item(i))) words = i;
        continue;
      }
      if (item(i).role == Role::assistant && !spoken && words) gone[*words] = false;
      spoken = item(i).role == Role::user;
      words.reset();
    }
  }

  void replace(std::size_t i, std::size_t block, std::optional<Block> with) {
    if (!with) return;
    const Tokens freed = estimate(item(i).blocks[block]) - estimate(*with);
    if (freed > 0) edits_.push_back({item(i).id, Replace{block, std::move(*with)}, why_, freed});
  }

  std::string id_in(std::size_t i) const {
    return item(i).recall ? " \xC2\xB7 recall " + to_string(item(i).recall) : std::string();
  }

  std::optional<Block> stub(std::size_t i, std::size_t b) const {
    const Block& block = item(i).blocks[b];
    if (const auto* result = std::get_if<ToolResult>(&block)) {
      auto line = *result;
      line.text = "[dropped by the user" +
                  (result->recall ? " \xC2\xB7 recall " + to_string(result->recall) : "") + "]";
      line.form = ResultForm::compacted;
      return line;
    }
    if (const auto* call = std::get_if<ToolCall>(&block)) return without_arguments(*call);
    return Text{"[dropped by the user" + id_in(i) + "]"};
  }

  std::optional<Block> folded(std::size_t i, std::size_t b) const {
    const Block& block = item(i).blocks[b];
    if (const auto* result = std::get_if<ToolResult>(&block)) {
      auto line = *result;
      if (line.form == ResultForm::compacted) return std::nullopt;
      line.text = compacted_line(*result);
      line.form = ResultForm::compacted;
      return line;
    }
    if (const auto* call = std::get_if<ToolCall>(&block)) {
      constexpr std::size_t short_call = 200;
      return call->arguments.size() <= short_call ? std::nullopt
                                                  : std::optional<Block>(without_arguments(*call));
    }
    if (std::holds_alternative<Image>(block)) return Text{"[picture folded by the user" + id_in(i) + "]"};
    if (std::holds_alternative<Document>(block)) return Text{"[document folded by the user" + id_in(i) + "]"};
    const auto* text = std::get_if<Text>(&block);
    if (!text) return std::nullopt;  // a summary is short as it is
    return Text{first_words(text->text) + " [\xE2\x80\xA6 folded by the user" + id_in(i) + "]"};
  }

  static Block without_arguments(ToolCall call) {
    call.arguments = "{}";
    return call;
  }

  const Conversation& conversation_;
  Reason why_;
  std::unordered_map<std::uint64_t, std::size_t> at_;
  std::unordered_map<std::size_t, std::set<std::size_t>> chosen_;  // blocks by place of their item
  Edits edits_;
};

}  // namespace

std::vector<HandUnit> hand_units(const Item& item, const Item* before) {
  std::vector<HandUnit> units;
  for (std::size_t b = 0; b < item.blocks.size(); ++b)
    if (std::holds_alternative<ToolResult>(item.blocks[b])) units.push_back(result_unit(item, b, before));
  if (auto words = words_unit(item)) units.push_back(std::move(*words));
  return units;
}

std::vector<HandUnit> hand_units(const Conversation& conversation) {
  std::vector<HandUnit> units;
  const Item* before = nullptr;
  for (const auto& item : conversation.items) {
    if (item->role != Role::system)
      for (auto& unit : hand_units(*item, before)) units.push_back(std::move(unit));
    before = item.get();
  }
  return units;
}

Edits drop_by_hand(const Conversation& conversation, const std::vector<HandUnit>& units) {
  return Hand(conversation, units, "dropped").drop();
}

Edits fold_by_hand(const Conversation& conversation, const std::vector<HandUnit>& units) {
  return Hand(conversation, units, "folded").fold();
}

ItemId place_of(const Conversation& conversation, ItemId gone) {
  const auto& items = conversation.items;
  std::size_t place = 0;  // behind the last one that is older; a summary stands early and has a late id
  for (std::size_t i = 0; i < items.size(); ++i)
    if (items[i]->role == Role::system || (items[i]->id < gone && !has<Summary>(*items[i]))) place = i + 1;
  return place < items.size() ? items[place]->id : ItemId{};
}

}  // namespace tern
