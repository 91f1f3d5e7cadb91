#include "compression/plan/squeeze.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "compression/reading/snip.h"
#include "compression/values/blocks.h"
#include "compression/values/rounds.h"
#include "compression/values/tokens.h"

namespace tern {

namespace {

constexpr Tokens least_result = 40, long_text = 60, least_text = 8;

Edit dropped(const Item& item) {
  return {
      item.id, Drop{}, {Tier::truncate, "truncate", "what must stay is larger than the window"}, item.tokens};
}

// At most `size` tokens: snipped to fewer and fewer characters, at the end to nothing but the marker.
std::string cut_to(const std::string& text, Tokens size, RecallId recall, OutputKind kind = OutputKind::log) {
  for (std::size_t limit = static_cast<std::size_t>(std::max<Tokens>(size, 1)) * 4; limit > 120;
       limit = limit * 3 / 4) {
    std::string out = snip_text(text, {.limit = limit, .kind = kind}, recall);
    if (estimate(out) <= size) return out;
  }
  return recall ? "[snipped \xC2\xB7 recall " + to_string(recall) + "]" : "[snipped]";
}

std::string never_blank(std::string text) {
  return text.find_first_not_of(" \t\r\n") == text.npos ? "[snipped]" : text;
}

// What was said: the id only where there is room for it.
std::string briefly_said(const std::string& text, Tokens size, RecallId recall) {
  auto out = cut_to(text, size, recall);
  return never_blank(recall && estimate(out) > size ? cut_to(text, size, {}) : std::move(out));
}

// The block in about `size` tokens. A thought goes whole or not at all: drop_thoughts().
Block briefly(const Block& block, Tokens size, RecallId recall) {
  return std::visit(overloaded{
                        [&](Text b) -> Block { return Text{briefly_said(b.text, size, recall)}; },
                        [&](Summary b) -> Block {
                          return Summary{briefly_said(b.text, size, recall), b.covers};
                        },
                        [&](Thinking b) -> Block { return b; },
                        [&](ToolCall b) -> Block {
                          b.arguments = "{}";
                          return b;
                        },
                        [&](ToolResult b) -> Block {
                          b.text = cut_to(b.text, size, b.recall, output_kind(b));
                          b.form = ResultForm::snipped;
                          return b;
                        },
                        [&](const auto&) -> Block { return Text{"[attachment left out]"}; },
                    },
                    block);
}

enum class Thoughts { unsent, all };
Edits without_thoughts(const Item& item, Thoughts which) {
  const Reason why{Tier::truncate, "truncate",
                   which == Thoughts::unsent ? "a thought that is never sent again"
                                             : "a thought: what must stay is larger than the window"};
  Edits edits;
  for (std::size_t b = 0; b < item.blocks.size(); ++b) {
    const auto* thought = std::get_if<Thinking>(&item.blocks[b]);
    const Tokens tokens = thought ? estimate(item.blocks[b]) : 0;
    if (tokens > 0 && (which == Thoughts::all || thought->signature.empty()))
      edits.push_back({item.id, Replace{b, Thinking{}}, why, tokens});
  }
  return edits;
}

const Reason left_out{Tier::truncate, "truncate", "left out: what must stay is larger than the window"};

Edits exchanged(const Item& old, Item with) {
  const auto made = make_item(std::move(with));
  return {{old.id, Insert{made}, left_out, -made->tokens}, dropped(old)};
}

// The round without the first of its calls, as many as are worth `need` tokens, but for the last; their
// results say how many.
Edits with_fewer_calls(const Item& asking, const Item& answering, Tokens need) {
  constexpr Tokens note_cost = 20;
  std::unordered_map<std::string_view, Tokens> results;
  for (const auto* result : blocks_of<ToolResult>(answering))
    results[result->call_id] = estimate(Block{*result});
  const auto calls = blocks_of<ToolCall>(asking);
  std::unordered_set<std::string_view> gone;
  for (std::size_t i = 0; i + 1 < calls.size() && need + note_cost > 0; ++i) {
    gone.insert(calls[i]->id);
    need -= estimate(Block{*calls[i]}) + results[calls[i]->id];
  }
  if (gone.empty()) return {};
  Item asked = asking, answered = answering;
  asked.id = answered.id = {};
  std::erase_if(asked.blocks, [&](const Block& block) {
    const auto* call = std::get_if<ToolCall>(&block);
    return (call && gone.count(call->id)) || std::holds_alternative<Thinking>(block);
  });
  std::erase_if(answered.blocks, [&](const Block& block) {
    const auto* result = std::get_if<ToolResult>(&block);
    return result && gone.count(result->call_id);
  });
  answered.synthetic = answered.synthetic || !has<Text>(answering);
  answered.blocks.push_back(
      Text{"[" + std::to_string(gone.size()) + " more calls and their results left out]"});
  Edits edits = exchanged(asking, std::move(asked));
  for (auto& edit : exchanged(answering, std::move(answered))) edits.push_back(std::move(edit));
  return edits;
}

class Squeeze {
 public:
  Squeeze(const Conversation& conversation, Tokens target) : conversation_(conversation), target_(target) {}

  Edits run() {
    if (thoughts() > target_) drop_thoughts(Part::all_but_pins);  // nothing else could make room
    if (over() > 0) shrink(Part::results, least_result);
    if (over() > 0) drop_rounds(Part::all_but_pins);
    if (over() > 0) drop_thoughts(Part::all_but_pins);
    if (over() > 0) shrink(Part::spoken, long_text / 2);
    if (over() > 0) shrink(Part::all_but_pins, long_text / 2);
    if (over() > 0) drop_users(Part::all_but_pins);
    if (over() > 0) drop_thoughts(Part::all);
    if (over() > 0) shrink(Part::all, least_text);
    if (over() > 0) drop_calls();
    if (over() > 0)
      drop_rounds(Part::all);  // so many pins that their frames alone are too much: the oldest go
    if (over() > 0) drop_users(Part::all);
    return std::move(edits_);
  }

 private:
  // What gives way, in this order: results; what the model said, called and was shown; what the person wrote
  // and the summary that stands for it; pins.
  enum class Part { results, spoken, all_but_pins, all };

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

  static bool belongs_to(const Item& item, const Block& block, Part part) {
    if (item.role == Role::system || (item.pinned && part != Part::all)) return false;
    if (part == Part::results) return std::holds_alternative<ToolResult>(block);
    const bool words =
        std::holds_alternative<Summary>(block) || (is_human(item) && std::holds_alternative<Text>(block));
    return part != Part::spoken || !words;
  }

  std::vector<Cut> cuts(Part part) const {
    std::vector<Cut> found;
    for (const auto& item : conversation_.items) {
      for (std::size_t b = 0; b < item->blocks.size(); ++b) {
        if (belongs_to(*item, item->blocks[b], part))
          found.push_back({item.get(), b, estimate(item->blocks[b])});
      }
    }
    return found;
  }

  // All above one size are cut to it, so the longest give most and the short stay whole; the size is the
  // greatest that fits. A marker can be longer than what was to be left: then once more, and at last as short
  // as may be.
  void shrink(Part part, Tokens least) {
    constexpr int rounds = 3;
    for (int round = 0; round < rounds && over() > 0; ++round) {
      const auto found = cuts(part);
      const Tokens size = round + 1 < rounds ? level(found, least) : least;
      Edits edits;
      for (const auto& cut : found) {
        if (cut.tokens > size) shorten(cut, part == Part::results ? size - result_frame : size, edits);
      }
      apply(std::move(edits));
    }
  }

  Tokens level(const std::vector<Cut>& found, Tokens least) const {
    const auto saved_at = [&](Tokens size) {
      Tokens sum = 0;
      for (const auto& cut : found) sum += std::max<Tokens>(0, cut.tokens - size);
      return sum;
    };
    Tokens low = least, high = least;
    for (const auto& cut : found) high = std::max(high, cut.tokens);
    for (const Tokens need = over(); low < high;) {
      const Tokens middle = (low + high + 1) / 2;
      if (saved_at(middle) >= need)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }

  static void shorten(const Cut& cut, Tokens size, Edits& edits) {
    const auto& [item, block, tokens] = cut;
    Block shorter = briefly(item->blocks[block], size, item->recall);
    const Tokens gain = tokens - estimate(shorter);
    if (gain <= 0) return;
    edits.push_back({item->id,
                     Replace{block, std::move(shorter)},
                     {Tier::truncate, "truncate", "cut harder: what must stay is larger than the window"},
                     gain});
  }

  // Oldest first; the newest round stays.
  void drop_rounds(Part part) {
    const Outline parts = outline(conversation_, staying(part));
    Edits edits;
    Tokens left = over();
    for (std::size_t r = 0; r + 1 < parts.rounds.size() && left > 0; ++r) {
      const Round& round = parts.rounds[r];
      if (round.keep) continue;
      for (std::size_t i = round.first; i <= round.last; ++i)
        edits.push_back(dropped(*conversation_.items[i]));
      left -= round.tokens;
    }
    apply(std::move(edits));
  }

  Tokens thoughts() const {
    Tokens sum = 0;
    for (const auto& item : conversation_.items) {
      for (const auto* thought : blocks_of<Thinking>(*item)) sum += estimate(Block{*thought});
    }
    return sum;
  }

  // All thoughts of a message or none, oldest message first: providers take it back without its thoughts, but
  // not with some of them. An empty, unsigned thought is never resent.
  void drop_thoughts(Part part) {
    Edits edits;
    Tokens left = over();
    for (const auto& item : conversation_.items) {
      if (left <= 0) break;
      if (item->role != Role::assistant || (item->pinned && part != Part::all)) continue;
      for (auto& edit : without_thoughts(*item, Thoughts::all)) {
        left -= edit.saved;
        edits.push_back(std::move(edit));
      }
    }
    apply(std::move(edits));
  }

  // So many calls in one message that their frames alone are too much: the first of them leave, each with its
  // result.
  void drop_calls() {
    const Outline parts = outline(conversation_, staying(Part::all_but_pins));
    for (const Round& round : parts.rounds) {
      const Tokens left = over();
      if (left > 0 && !round.keep && round.last > round.first)
        apply(with_fewer_calls(*conversation_.items[round.first], *conversation_.items[round.last], left));
    }
  }

  // User messages leave where no answer of theirs is left, but for the first and the last of them.
  void drop_users(Part part) {
    const Outline parts = outline(conversation_, staying(part));
    Edits edits;
    Tokens left = over();
    for (std::size_t t = 1; t + 1 < parts.turns.size() && left > 0; ++t) {
      const Turn& turn = parts.turns[t];
      if (turn.keep || turn.user == Turn::none || turn.first_round != turn.end_round) continue;
      if (has<Summary>(*conversation_.items[turn.user])) continue;
      edits.push_back(dropped(*conversation_.items[turn.user]));
      left -= edits.back().saved;
    }
    apply(std::move(edits));
  }

  std::vector<bool> staying(Part part) const {
    std::vector<bool> keep;
    for (const auto& item : conversation_.items)
      keep.push_back((item->pinned && part != Part::all) || item->role == Role::system);
    return keep;
  }

  static constexpr Tokens result_frame = 5;
  Conversation conversation_;
  Tokens target_;
  Edits edits_;
};

}  // namespace

Edits without_unsent_thoughts(const Conversation& conversation) {
  Edits edits;
  for (const auto& item : conversation.items) {
    if (item->pinned) continue;
    for (auto& edit : without_thoughts(*item, Thoughts::unsent)) edits.push_back(std::move(edit));
  }
  return edits;
}

Edits squeeze(const Conversation& conversation, Tokens target) { return Squeeze(conversation, target).run(); }

}  // namespace tern
