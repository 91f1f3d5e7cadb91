#include "compression/values/family_count.h"

#include <cmath>

#include "compression/values/tokens.h"

namespace tern {
namespace {

// The texts of a block that a tokenizer reads.
template <class Visit>
void each_text(const Block& block, const Visit& visit) {
  std::visit(overloaded{
                 [&](const Text& b) { visit(b.text); },
                 [&](const Thinking& b) { visit(b.redacted ? std::string_view() : b.text); },
                 [&](const ToolCall& b) { visit(b.name), visit(b.arguments); },
                 [&](const ToolResult& b) { visit(b.text); },
                 [&](const Summary& b) { visit(b.text); },
                 [](const auto&) {},
             },
             block);
}

}  // namespace

const FamilyCount::Counted& FamilyCount::counted(const ItemPtr& item) {
  const auto [at, is_new] = items_.try_emplace(item.get());
  auto& found = at->second;
  if (!is_new) return found;
  found.item = item;
  found.other = item->tokens;
  for (const auto& block : item->blocks) {
    each_text(block, [&](std::string_view text) {
      found.pieces += count_pieces(text);
      found.other -= estimate(text);
    });
  }
  return found;
}

Tokens FamilyCount::of(const ItemPtr& item, Family family) {
  const auto& known = counted(item);
  return known.other + weigh(known.pieces, family);
}

Tokens FamilyCount::of(const Conversation& conversation, Family family) {
  constexpr std::size_t spare = 64;
  if (items_.size() > 2 * conversation.items.size() + spare) items_.clear();
  Tokens sum = 0;
  for (const auto& item : conversation.items) sum += of(item, family);
  return sum;
}

Tokens FamilyCount::scaled(Tokens estimated, std::string_view prompt, Family family) {
  if (prompt != prompt_) {
    prompt_ = prompt;
    prompt_pieces_ = count_pieces(prompt);
    prompt_tokens_ = estimate(prompt);
  }
  if (prompt_tokens_ <= 0) return estimated;
  const double rate =
      static_cast<double>(weigh(prompt_pieces_, family)) / static_cast<double>(prompt_tokens_);
  return static_cast<Tokens>(std::llround(static_cast<double>(estimated) * rate));
}

}  // namespace tern
