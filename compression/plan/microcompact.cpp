#include "compression/plan/microcompact.h"

#include <algorithm>
#include <optional>

#include "compression/plan/strategies.h"
#include "compression/reading/superseded.h"
#include "compression/values/describe.h"
#include "compression/values/tokens.h"
#include "compression/values/tool_kinds.h"
#include "compression/values/written_names.h"

namespace tern {

namespace {

constexpr Tokens line_tokens = 40;               // about what a label costs
constexpr std::size_t large_read_bytes = 4'000;  // bytes
constexpr Tokens least_gain = 8;

enum class Rank { again, large_read, other, error };

struct Candidate {
  std::size_t item, block;
  bool late;  // behind the oldest share
  Rank rank;
  Tokens tokens;
  std::string why;  // of a superseded one
};

std::string_view reason_of(Rank rank) {
  switch (rank) {
    case Rank::again: return "superseded";
    case Rank::large_read: return "an old large file read";
    case Rank::other: return "an old result";
    case Rank::error: return "an old error";
  }
  return {};
}

class Microcompact {
 public:
  Microcompact(const Conversation& conversation, const Budget& budget, const MicroForm& form)
      : items_(conversation.items),
        form_(form),
        keep_(protected_items(conversation, budget.config)),
        left_(count(conversation)) {
    collect(superseded_results(conversation));
  }

  Edits run() {
    choose();
    // From the newest back: what the assistant wrote after a result is known when the result is met.
    std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
      return std::pair(a.item, a.block) > std::pair(b.item, b.block);
    });
    Edits edits;
    WrittenNames written;
    std::size_t newest = items_.size();
    for (const auto& candidate : candidates_) {
      while (newest-- > candidate.item + 1) {
        if (items_[newest]->role == Role::assistant) written.add(*items_[newest]);
      }
      ++newest;
      if (auto edit = compacted(candidate, written)) edits.push_back(std::move(*edit));
    }
    std::reverse(edits.begin(), edits.end());
    return edits;
  }

 private:
  void collect(const std::vector<Superseded>& superseded) {
    const auto touched = static_cast<std::size_t>(static_cast<double>(items_.size()) * form_.oldest);
    auto old = superseded.begin();
    const std::size_t end = form_.target > 0 ? items_.size() : touched;
    for (std::size_t i = 0; i < end; ++i) {
      for (std::size_t b = 0; b < items_[i]->blocks.size(); ++b) {
        while (old != superseded.end() && std::pair(old->item, old->block) < std::pair(i, b)) ++old;
        const bool again = old != superseded.end() && old->item == i && old->block == b;
        const auto* result = std::get_if<ToolResult>(&items_[i]->blocks[b]);
        if (!result || keep_[i] || result->form == ResultForm::compacted) continue;
        candidates_.push_back({i, b, i >= touched, again ? Rank::again : rank_of(*result), tokens_of(i, b),
                               again ? old->why : ""});
      }
    }
  }

  static Rank rank_of(const ToolResult& result) {
    if (result.is_error) return Rank::error;
    return reads_files(result.tool) && result.text.size() >= large_read_bytes ? Rank::large_read
                                                                              : Rank::other;
  }

  // An item of one block is counted already.
  Tokens tokens_of(std::size_t item, std::size_t block) const {
    constexpr Tokens frame = 7;
    return items_[item]->blocks.size() == 1 ? items_[item]->tokens - frame
                                            : estimate(items_[item]->blocks[block]);
  }

  // As many as bring the items to the target, in the order of their ranks.
  void choose() {
    std::erase_if(candidates_, [](const Candidate& c) { return c.tokens <= line_tokens + least_gain; });
    std::stable_sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
      return std::pair(a.late, a.rank) < std::pair(b.late, b.rank);
    });
    if (form_.target <= 0) return;
    std::size_t chosen = 0;
    while (chosen < candidates_.size() && left_ > form_.target) {
      const auto& candidate = candidates_[chosen++];
      left_ -= candidate.tokens - line_tokens -
               static_cast<Tokens>(kept_share(candidate) * static_cast<double>(candidate.tokens));
    }
    candidates_.resize(chosen);
  }

  double kept_share(const Candidate& candidate) const {
    return candidate.rank == Rank::again ? 0 : form_.kept_lines;
  }

  std::optional<Edit> compacted(const Candidate& candidate, WrittenNames& written) const {
    const Item& item = *items_[candidate.item];
    const auto& old = std::get<ToolResult>(item.blocks[candidate.block]);
    ToolResult result{.call_id = old.call_id,
                      .tool = old.tool,
                      .text = compacted_line(old, candidate.why),
                      .is_error = old.is_error,
                      .subject = old.subject,
                      .recall = old.recall,
                      .form = ResultForm::compacted};
    const auto bytes = static_cast<std::size_t>(kept_share(candidate) * static_cast<double>(old.text.size()));
    if (const auto lines = written.lines_of(old.text, old.subject, bytes); !lines.empty())
      result.text.append("\n").append(lines);
    while (result.text.back() == '\n') result.text.pop_back();
    const Tokens gain = candidate.tokens - estimate(Block{result});
    if (gain < least_gain) return std::nullopt;
    const std::string why = candidate.why.empty() ? std::string(reason_of(candidate.rank)) : candidate.why;
    return Edit{
        item.id, Replace{candidate.block, std::move(result)}, {Tier::micro, "microcompact", why}, gain};
  }

  const std::vector<ItemPtr>& items_;
  const MicroForm& form_;
  std::vector<bool> keep_;
  Tokens left_;
  std::vector<Candidate> candidates_;
};

}  // namespace

Edits microcompact(const Conversation& conversation, const Budget& budget, const MicroForm& form) {
  return Microcompact(conversation, budget, form).run();
}

namespace {

Edits propose_micro(const Conversation& conversation, const Budget& budget) {
  return microcompact(conversation, budget, {.target = item_target(budget, budget.config.micro_low_water)});
}

}  // namespace

constinit const Strategy microcompact_strategy{"microcompact", "one line for each old tool result",
                                               propose_micro};

}  // namespace tern
