#include "compression/squeeze.h"

#include <algorithm>

#include "compression/rounds.h"
#include "compression/snip.h"
#include "compression/tokens.h"

namespace tern {

namespace {

constexpr Tokens least_result = 40, long_text = 60, least_text = 8;

Edit dropped(const Item& item) {
  return {item.id, Drop{}, {Tier::truncate, "truncate", "what must stay is larger than the window"}, item.tokens};
}

// At most `size` tokens: snipped to fewer and fewer characters, at the end to nothing but the marker.
std::string cut_to(const std::string& text, Tokens size, RecallId recall) {
  for (std::size_t limit = static_cast<std::size_t>(std::max<Tokens>(size, 1)) * 4; limit > 120; limit = limit * 3 / 4) {
    std::string out = snip_text(text, {.limit = limit}, recall);
    if (estimate(out) <= size) return out;
  }
  return recall ? "[snipped \xC2\xB7 recall " + to_string(recall) + "]" : "[snipped]";
}

std::string never_blank(std::string text) { return text.find_first_not_of(" \t\r\n") == text.npos ? "[snipped]" : text; }

// The block in about `size` tokens. A signed thought goes whole or not at all, so it stays.
Block briefly(const Block& block, Tokens size) {
  return std::visit(overloaded{
                        [&](Text b) -> Block { return Text{never_blank(cut_to(b.text, size, {}))}; },
                        [&](Summary b) -> Block {
                          return Summary{never_blank(cut_to(b.text, size, {})), b.covers};
                        },
                        [&](Thinking b) -> Block { return b; },
                        [&](ToolCall b) -> Block {
                          b.arguments = "{}";
                          return b;
                        },
                        [&](ToolResult b) -> Block {
                          b.text = cut_to(b.text, size, b.recall);
                          b.form = ResultForm::snipped;
                          return b;
                        },
                        [&](const auto&) -> Block { return Text{"[attachment left out]"}; },
                    },
                    block);
}

class Squeeze {
 public:
  Squeeze(const Conversation& conversation, Tokens target) : conversation_(conversation), target_(target) {}

  Edits run() {
    shrink_results();
    if (over() > 0) drop_rounds();
    if (over() > 0) shorten_texts(false);
    if (over() > 0) drop_users();
    if (over() > 0) shorten_texts(true);
    return std::move(edits_);
  }

 private:
  struct Cut {
    const Item* item;
    std::size_t block;
    Tokens tokens;
  };

  Tokens over() const { return count(conversation_) - target_; }

  void apply(Edits edits) {
    conversation_ = tern::apply(conversation_, edits);
    for (auto& edit : edits) edits_.push_back(std::move(edit));
  }

  std::vector<Cut> results() const {
    std::vector<Cut> cuts;
    for (const auto& item : conversation_.items) {
      for (std::size_t b = 0; b < item->blocks.size() && !item->pinned; ++b) {
        if (std::holds_alternative<ToolResult>(item->blocks[b])) cuts.push_back({item.get(), b, estimate(item->blocks[b])});
      }
    }
    return cuts;
  }

  // All results above one size are cut to it; the size is the greatest that fits.
  void shrink_results() {
    const auto cuts = results();
    const auto saved_at = [&](Tokens size) {
      Tokens sum = 0;
      for (const auto& cut : cuts) sum += std::max<Tokens>(0, cut.tokens - size);
      return sum;
    };
    Tokens low = least_result, high = 0;
    for (const auto& cut : cuts) high = std::max(high, cut.tokens);
    for (const Tokens need = over(); low < high;) {
      const Tokens middle = (low + high + 1) / 2;
      if (saved_at(middle) >= need)
        low = middle;
      else
        high = middle - 1;
    }
    Edits edits;
    for (const auto& cut : cuts) {
      if (cut.tokens > low) shorten(*cut.item, cut.block, cut.tokens, low - result_frame, edits);
    }
    apply(std::move(edits));
  }

  static Tokens shorten(const Item& item, std::size_t block, Tokens tokens, Tokens size, Edits& edits) {
    Block shorter = briefly(item.blocks[block], size);
    const Tokens gain = tokens - estimate(shorter);
    if (gain <= 0) return 0;
    edits.push_back({item.id,
                     Replace{block, std::move(shorter)},
                     {Tier::truncate, "truncate", "cut harder: what must stay is larger than the window"},
                     gain});
    return gain;
  }

  // Oldest first; the newest round and pins stay.
  void drop_rounds() {
    const Outline parts = outline(conversation_, pins());
    Edits edits;
    Tokens left = over();
    for (std::size_t r = 0; r + 1 < parts.rounds.size() && left > 0; ++r) {
      const Round& round = parts.rounds[r];
      if (round.keep) continue;
      for (std::size_t i = round.first; i <= round.last; ++i) edits.push_back(dropped(*conversation_.items[i]));
      left -= round.tokens;
    }
    apply(std::move(edits));
  }

  // User messages leave where no answer of theirs is left, but for the first and the last of them.
  void drop_users() {
    const Outline parts = outline(conversation_, pins());
    Edits edits;
    Tokens left = over();
    for (std::size_t t = 1; t + 1 < parts.turns.size() && left > 0; ++t) {
      const Turn& turn = parts.turns[t];
      if (turn.keep || turn.user == Turn::none || turn.first_round != turn.end_round) continue;
      edits.push_back(dropped(*conversation_.items[turn.user]));
      left -= edits.back().saved;
    }
    apply(std::move(edits));
  }

  // The last resort: texts, arguments and attachments give way, the long ones first; pins only in the end.
  void shorten_texts(bool last_resort) {
    const Tokens least = last_resort ? least_text : long_text / 2;
    Edits edits;
    Tokens left = over();
    for (const auto& item : conversation_.items) {
      if (item->role == Role::system || (item->pinned && !last_resort)) continue;
      for (std::size_t b = 0; b < item->blocks.size() && left > 0; ++b) {
        const Tokens tokens = estimate(item->blocks[b]);
        if (tokens > least) left -= shorten(*item, b, tokens, std::max(least, tokens - left), edits);
      }
    }
    apply(std::move(edits));
  }

  std::vector<bool> pins() const {
    std::vector<bool> keep;
    for (const auto& item : conversation_.items) keep.push_back(item->pinned || item->role == Role::system);
    return keep;
  }

  static constexpr Tokens result_frame = 5;
  Conversation conversation_;
  Tokens target_;
  Edits edits_;
};

}  // namespace

Edits squeeze(const Conversation& conversation, Tokens target) { return Squeeze(conversation, target).run(); }

}  // namespace tern
