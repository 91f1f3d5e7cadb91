#include "compression/reading/condense.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "compression/reading/excerpt.h"
#include "compression/reading/fold_lines.h"
#include "compression/reading/importance.h"
#include "compression/reading/line_choice.h"
#include "compression/reading/survey.h"
#include "compression/reading/working_set.h"
#include "compression/values/blocks.h"
#include "compression/values/tokens.h"

namespace tern {

namespace {

constexpr Tokens label_tokens = 14, least_result = 40, least_text = 80, least_said = 30;
constexpr double deep_share = 0.45;  // frames over this share of the target: calls and texts are opened too
constexpr double work_share = 0.95;  // of that room: the working set kept whole, newest first
constexpr double line_share = 0.40;  // of the other results that are opened: room for their lines
constexpr double fold_share = 0.45;  // and frames still over this: rounds are folded until they are under it
constexpr double person_share = 0.95;  // and still over this: long human texts are opened
constexpr Tokens long_request = 200;
constexpr Tokens head_part = 16,
                 head_most = 1'500;  // the text that opens the folds: a part of the target, at most
constexpr std::size_t unfolded = 6,
                      last_round = 2;  // newest items that are not folded; the last round never is
constexpr int corrections = 3;

struct PartPlan {
  bool open = false;   // its lines are chosen one by one
  bool whole = false;  // open, but kept as it is
  bool folded = false;
  bool frameless = false;  // even its frame may go
  bool words = false;      // but not the person's words in it
  Tokens tokens = 0, frame = 0;
};

Tokens tokens_of(const SurveyPart& part) {
  return static_cast<Tokens>(part.rate * static_cast<float>(part.text.size()));
}

class Condenser {
 public:
  Condenser(const Conversation& conversation, const Budget& budget, const Condense& how)
      : conversation_(conversation),
        items_(conversation.items),
        config_(budget.config),
        how_(how),
        keep_(protected_items(conversation, budget.config)),
        survey_(survey(conversation)),
        working_(working_set(conversation, survey_)),
        total_(count(conversation)) {}

  Edits run() {
    if (total_ <= how_.target || survey_.parts.empty()) return {};
    open_results();
    if (how_.reach >= CutReach::calls && fixed_ > share_of_target(deep_share)) open_calls();
    if (how_.reach >= CutReach::answers && fixed_ > share_of_target(deep_share)) open_texts();
    make_room_for_work();
    said_by_subject_.resize(plans_.size());
    if (how_.reach == CutReach::all) fold(share_of_target(fold_share)), open_long_requests();
    Tokens room = how_.target - fixed_;
    room -= room / 32;  // lines cost a little more than their share of a block
    for (int i = 0;; ++i) {
      choose(std::max<Tokens>(0, room));
      auto edits = build();
      const Tokens over = total_ - saved(edits) - how_.target;
      if (over <= 0 || i == corrections || room <= 0) return edits;
      room -= over + over / 8 + 4;
    }
  }

 private:
  Tokens share_of_target(double share) const {
    return static_cast<Tokens>(share * static_cast<double>(how_.target));
  }

  const Item& item_of(const SurveyPart& part) const { return *items_[part.item]; }

  bool hardest() const { return how_.tier == Tier::truncate && how_.reach == CutReach::all; }

  bool locked(const SurveyPart& part) const {
    return item_of(part).pinned || (keep_[part.item] && !hardest());
  }

  Tokens tokens_of_lines(const SurveyPart& part, bool SurveyLine::*which) const {
    Tokens sum = 0;
    for (auto l = part.first; l < part.last; ++l)
      if (survey_.lines[l].*which)
        sum += static_cast<Tokens>(part.rate * static_cast<float>(survey_.lines[l].size));
    return sum;
  }

  void open(std::size_t p, Tokens least) {
    const SurveyPart& part = survey_.parts[p];
    auto& plan = plans_[p];
    if (plan.open || plan.tokens < least || locked(part)) return;
    plan.frame = label_tokens + tokens_of_lines(part, &SurveyLine::frame);
    plan.open = plan.frame < plan.tokens;
    if (plan.open) fixed_ -= plan.tokens - plan.frame;
  }

  void open_results() {
    fixed_ = total_;
    plans_.resize(survey_.parts.size());
    for (std::size_t p = plans_.size(); p-- > 0;) {
      plans_[p].tokens = tokens_of(survey_.parts[p]);
      if (survey_.parts[p].kind == PartKind::result) open(p, least_result);
    }
  }

  void open_calls() {
    for (std::size_t p = plans_.size(); p-- > 0;)
      if (survey_.parts[p].kind == PartKind::call && !has_kept_result(survey_.parts[p])) open(p, least_text);
  }

  // The newest results stay, and what was called for them stays too.
  bool has_kept_result(const SurveyPart& part) const {
    const std::size_t next = part.item + 1;
    return !hardest() && next < items_.size() && keep_[next] && has<ToolResult>(*items_[next]);
  }

  // A cut that would tear the files being worked on comes down less far. The lines of the others then get
  // room too, as much as those files at most.
  void make_room_for_work() {
    if (how_.most <= how_.target) return;
    Tokens work = 0, others = 0;
    for (std::size_t p = 0; p < plans_.size(); ++p) {
      if (plans_[p].open) (working_[p] == Work::none ? others : work) += plans_[p].tokens - plans_[p].frame;
    }
    const auto lines = std::min(2 * work, static_cast<Tokens>(line_share * static_cast<double>(others)));
    how_.target = std::clamp(fixed_ + work + lines, how_.target, how_.most);
  }

  void open_texts() {
    bool last_said = true;
    for (std::size_t p = plans_.size(); p-- > 0;) {
      const auto kind = survey_.parts[p].kind;
      if (kind == PartKind::summary) open(p, least_text);
      if (kind == PartKind::said && !std::exchange(last_said, false)) open(p, least_text);
    }
  }

  // The last answer and what the person wrote are cut last, the longest first, a request down to first lines
  // and rules.
  void open_long_requests() {
    const auto frames = share_of_target(person_share);
    std::vector<std::size_t> longest;
    for (std::size_t p = 0; p < plans_.size(); ++p) {
      const auto kind = survey_.parts[p].kind;
      if (kind == PartKind::said && fixed_ > frames) open(p, least_said);
      if (kind == PartKind::human) longest.push_back(p);
      if (kind == PartKind::summary && fixed_ > frames) loosen(p, true);
    }
    std::stable_sort(longest.begin(), longest.end(),
                     [&](auto a, auto b) { return plans_[a].tokens > plans_[b].tokens; });
    for (const auto p : longest) {
      if (fixed_ <= frames) return;
      open(p, long_request);
    }
    for (std::size_t p = 0; p < plans_.size() && fixed_ > frames; ++p) loosen(p, false);
  }

  // An old summary whose headings alone are too much keeps what is worth its tokens, and the person's words
  // in it to the last.
  void loosen(std::size_t p, bool words) {
    auto& plan = plans_[p];
    if (!plan.open || survey_.parts[p].kind != PartKind::summary) return;
    const auto frame = label_tokens + (words ? tokens_of_lines(survey_.parts[p], &SurveyLine::words) : 0);
    fixed_ += frame - std::exchange(plan.frame, frame);
    plan.frameless = true;
    plan.words = words;
  }

  // Oldest rounds first, until the frames fit.
  void fold(Tokens frames) {
    folded_.assign(items_.size(), 0);
    directory_ = common_directory(items_);
    std::set<std::string_view> named;
    const std::size_t newest = newest_unfolded(frames / 2);
    for (std::size_t i = 0; i + newest < items_.size() && fixed_ > frames;) {
      const auto n =
          hardest() || !(keep_[i] || (i + 1 < items_.size() && keep_[i + 1])) ? foldable(items_, i) : 0;
      if (n == 0) named.clear();
      for (std::size_t k = i; k < i + n; ++k) fold_item(k, named);
      i += std::max<std::size_t>(n, 1);
    }
    find_said_by_subject();
    write_head();
  }

  // Where a few items are most of the conversation, the newest of them alone can be over the target.
  std::size_t newest_unfolded(Tokens room) const {
    std::vector<Tokens> frames;
    for (const auto& item : items_) frames.push_back(item->tokens);
    for (std::size_t p = 0; p < plans_.size(); ++p)
      if (plans_[p].open) frames[survey_.parts[p].item] -= plans_[p].tokens - plans_[p].frame;
    std::size_t newest = 0;
    while (newest < std::min(unfolded, frames.size())) {
      room -= frames.rbegin()[newest];
      if (newest++ >= last_round && room < 0) return newest - 1;
    }
    return newest;
  }

  void write_head() {
    std::vector<ItemPtr> gone;
    for (std::size_t i = 0; i < folded_.size(); ++i)
      if (folded_[i]) gone.push_back(items_[i]);
    if (gone.empty() || !how_.head) return;
    head_ = how_.head({conversation_, std::move(gone), referenced_later(survey_, items_.size()),
                       std::min(how_.target / head_part, head_most), config_});
    fixed_ += estimate(head_);
  }

  void fold_item(std::size_t index, std::set<std::string_view>& named) {
    folded_[index] = 1;
    fixed_ -= items_[index]->tokens;
    for (const auto& block : items_[index]->blocks) {
      const auto* result = std::get_if<ToolResult>(&block);
      if (result)
        fixed_ +=
            named.insert(subject_of(*result)).second ? subject_cost(subject_of(*result), directory_) + 6 : 3;
    }
    for (; next_part_ < plans_.size() && survey_.parts[next_part_].item <= index; ++next_part_) {
      auto& plan = plans_[next_part_];
      if (survey_.parts[next_part_].item != index) continue;
      if (plan.open) fixed_ += plan.tokens - plan.frame;
      plan.open = plan.folded = true;
    }
  }

  void choose(Tokens room) {
    LineChoice choice(survey_);
    for (std::size_t p = 0; p < plans_.size(); ++p) {
      if (plans_[p].folded) continue;
      if (!plans_[p].open)
        choice.keep_part(p);
      else if (!plans_[p].frameless)
        choice.keep_frame(p);
      else if (plans_[p].words)
        choice.keep_words(p);
    }
    for (auto& plan : plans_) plan.whole = false;
    if (how_.reach < CutReach::all) keep_working_set(choice, room);
    std::vector<std::uint32_t> candidates;
    for (std::size_t p = 0; p < plans_.size(); ++p) {
      if (said_by_subject_[p]) choice.hold_part(p);
      if (!plans_[p].open || plans_[p].whole || said_by_subject_[p]) continue;
      for (auto l = survey_.parts[p].first; l < survey_.parts[p].last; ++l) candidates.push_back(l);
    }
    room = choice.spend(candidates, room);
    fill(choice, room);
    kept_ = choice.kept();
  }

  // What the user named before the rest, and the newest first, whole; not much further back than where one
  // did not fit.
  void keep_working_set(LineChoice& choice, Tokens& room) {
    Tokens share = static_cast<Tokens>(work_share * static_cast<double>(room));
    for (const Work kept : {Work::named, Work::found}) {
      int missed = 0;
      for (std::size_t p = plans_.size(); p-- > 0;) {
        auto& plan = plans_[p];
        if (!plan.open || working_[p] != kept) continue;
        const Tokens cost = plan.tokens - plan.frame;
        if (cost > share && ++missed > config_.protect_results) break;
        if (cost > share) continue;
        share -= cost, room -= cost;
        plan.whole = true;
        choice.keep_part(p);
      }
    }
  }

  // Folded calls that are short and whose subject heads their row have nothing to add.
  void find_said_by_subject() {
    constexpr std::size_t keys = 100;
    std::unordered_map<std::string_view, std::size_t> subjects;
    for (const auto& item : items_)
      for (const auto* result : blocks_of<ToolResult>(*item))
        subjects[result->call_id] = result->subject.size() + keys;
    for (std::size_t p = 0; p < plans_.size(); ++p) {
      const SurveyPart& part = survey_.parts[p];
      if (!plans_[p].folded || part.kind != PartKind::call || part.last - part.first > 1) continue;
      const auto at = subjects.find(std::get<ToolCall>(item_of(part).blocks[part.block]).id);
      said_by_subject_[p] = at != subjects.end() && part.text.size() < at->second;
    }
  }

  // What is left goes to whole blocks, the newest first: they read better than excerpts.
  void fill(LineChoice& choice, Tokens room) {
    for (std::size_t p = plans_.size(); p-- > 0 && room > 0;) {
      auto& plan = plans_[p];
      if (!plan.open || plan.whole || plan.folded) continue;
      Tokens cost = plan.tokens - label_tokens;
      for (auto l = survey_.parts[p].first; l < survey_.parts[p].last; ++l)
        if (choice.kept()[l])
          cost -= static_cast<Tokens>(survey_.parts[p].rate * static_cast<float>(survey_.lines[l].size));
      if (cost > room) continue;
      room -= cost;
      plan.whole = true;
      choice.keep_part(p);
    }
  }

  Edits build() const {
    Edits edits;
    for (std::size_t p = 0; p < plans_.size(); ++p) {
      if (!plans_[p].open || plans_[p].whole || plans_[p].folded) continue;
      const SurveyPart& part = survey_.parts[p];
      auto block = excerpt({items_, survey_, kept_, how_.reach == CutReach::calls}, part);
      const Tokens saved = estimate(item_of(part).blocks[part.block]) - estimate(block);
      if (saved <= 0) continue;
      edits.push_back({item_of(part).id,
                       Replace{part.block, std::move(block)},
                       {how_.tier, "condense", why(part)},
                       saved});
    }
    add_folds(edits);
    return edits;
  }

  void add_folds(Edits& edits) const {
    const FoldInput input{items_, survey_, kept_, directory_};
    struct Run {
      std::size_t first, last;
      std::string text;
    };
    std::vector<Run> folds;
    Tokens after = estimate(head_);
    for (std::size_t i = 0; i < folded_.size(); ++i) {
      if (!folded_[i]) continue;
      const std::size_t first = i;
      while (i + 1 < folded_.size() && folded_[i + 1]) ++i;
      folds.push_back({first, i, fold_text(input, first, i, folds.empty())});
      after += estimate(folds.back().text);
    }
    if (!folds.empty()) folds.front().text.insert(0, with_after(head_, after));
    for (auto& [first, last, text] : folds) add_fold(edits, first, last, std::move(text));
  }

  void add_fold(Edits& edits, std::size_t first, std::size_t last, std::string text) const {
    const Reason reason{how_.tier, "condense", "old rounds folded by subject"};
    auto item = make_item({.role = Role::user,
                           .when = items_[first]->when,
                           .blocks = {Summary{std::move(text), {items_[first]->id, items_[last]->id}}},
                           .synthetic = true});
    const Tokens cost = item->tokens;
    edits.push_back({items_[last + 1]->id, Insert{std::move(item)}, reason, -cost});
    for (std::size_t i = first; i <= last; ++i)
      edits.push_back({items_[i]->id, Drop{}, reason, items_[i]->tokens});
  }

  static std::string why(const SurveyPart& part) {
    switch (part.kind) {
      case PartKind::result: return "old result cut to the lines that name something new";
      case PartKind::call: return "long arguments cut to the lines that name something new";
      default: return "old text cut to the lines that name something new";
    }
  }

  const Conversation& conversation_;
  const std::vector<ItemPtr>& items_;
  const CompressionConfig& config_;
  Condense how_;
  std::vector<bool> keep_;
  Survey survey_;
  std::vector<Work> working_;  // parallel to its parts
  Tokens total_ = 0, fixed_ = 0;
  std::vector<PartPlan> plans_;
  std::vector<char> folded_, said_by_subject_;
  std::size_t next_part_ = 0;
  std::string directory_, head_;
  std::vector<char> kept_;
};

}  // namespace

Edits condense(const Conversation& conversation, const Budget& budget, const Condense& how) {
  return Condenser(conversation, budget, how).run();
}

std::string with_after(std::string text, Tokens after) {
  if (const auto at = text.find(after_mark); at != text.npos)
    text.replace(at, after_mark.size(), "~" + std::to_string(after));
  return text;
}

}  // namespace tern
