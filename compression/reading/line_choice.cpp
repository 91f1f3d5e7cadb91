#include "compression/reading/line_choice.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tern {

namespace {

constexpr float again =
    .02f;  // what a name is worth when it is held already: context of what was written since
constexpr float bare = .25f;  // share of a line's bytes inside names from which on it says little about them
constexpr float line_cost = 1.3f;  // tokens a line costs beside its own
// Prose has a worth of its own beside its names; more where it gives a reason, and while little of its answer
// is kept yet.
constexpr float word_need = .004f, reason_need = 1.3f, first_need = 2, first_share = .2f;

}  // namespace

float need_of(const NameUse& use) {
  static constexpr float unwritten[] = {.005f, .02f, .032f, .0055f, .044f, .022f, .008f, .08f, .017f};
  static constexpr float written[] = {.02f, .15f, .25f, .05f, .17f, .2f, .1f, .09f, .02f};
  static constexpr float repeats[] = {.4f, .4f, 1.1f, 1.4f, 1.8f, 2.5f};
  const auto kind = static_cast<std::size_t>(use.kind);
  const float lately = 2 / (1 + 6 * use.age) + .3f;
  const int times = use.results + use.said + use.human;
  if (use.said + use.human == 0) return unwritten[kind] * repeats[std::min(times, 5)] * lately;
  return written[kind] * std::min(3.f, 1 + .2f * static_cast<float>(times)) * lately;
}

LineChoice::LineChoice(const Survey& survey)
    : survey_(survey),
      held_(survey.uses.size(), 0),
      kept_(survey.lines.size(), 0),
      kept_bytes_(survey.parts.size(), 0) {
  needs_.reserve(survey.uses.size());
  for (const auto& use : survey.uses) needs_.push_back(need_of(use));
}

void LineChoice::keep(std::uint32_t line) {
  const SurveyLine& l = survey_.lines[line];
  if (!kept_[line]) kept_bytes_[l.part] += static_cast<float>(l.size);
  kept_[line] = 1;
  for (auto n = l.first; n < l.last; ++n) held_[survey_.names[n]] = 1;
}

void LineChoice::keep_part(std::size_t part) {
  for (auto l = survey_.parts[part].first; l < survey_.parts[part].last; ++l) keep(l);
}

void LineChoice::keep_frame(std::size_t part) {
  for (auto l = survey_.parts[part].first; l < survey_.parts[part].last; ++l) {
    if (survey_.lines[l].frame) keep(l);
  }
}

void LineChoice::keep_words(std::size_t part) {
  for (auto l = survey_.parts[part].first; l < survey_.parts[part].last; ++l) {
    if (survey_.lines[l].words) keep(l);
  }
}

void LineChoice::hold_part(std::size_t part) {
  for (auto l = survey_.parts[part].first; l < survey_.parts[part].last; ++l) {
    for (auto n = survey_.lines[l].first; n < survey_.lines[l].last; ++n) held_[survey_.names[n]] = 1;
  }
}

float LineChoice::value(std::uint32_t line) const {
  const SurveyLine& l = survey_.lines[line];
  const SurveyPart& part = survey_.parts[l.part];
  float sum = 0;
  for (auto n = l.first; n < l.last; ++n) {
    const auto name = survey_.names[n];
    sum += held_[name] ? again * needs_[name] : needs_[name];
  }
  const float share = static_cast<float>(l.named) / static_cast<float>(l.size);
  if (share > bare) sum *= 1 - (share - bare);
  if (l.prose > 0) {
    float need = word_need * static_cast<float>(l.prose) * (2 / (1 + 6 * part.age) + .3f);
    if (l.reason) need *= reason_need;
    if (kept_bytes_[l.part] < first_share * static_cast<float>(part.text.size())) need *= first_need;
    sum += need;
  }
  return sum / (part.rate * static_cast<float>(l.size) + line_cost);
}

namespace {

// Lines by what they are worth, in steps of a five-hundredth: the best comes out first, and putting one back
// costs nothing.
class Offers {
 public:
  explicit Offers(std::size_t most) : heads_(steps, none) { lines_.reserve(most); }

  void collect(std::uint32_t line, float value) {
    lines_.push_back({line, key(value), none});
    top_ = std::max(top_, lines_.back().key);
  }
  void sort() {
    for (std::uint32_t i = 0; i < lines_.size(); ++i) put(i);
    step_ = steps;
  }

  // The index of the next line, best first; false when there is none.
  bool next(std::uint32_t& index) {
    while (next_ == none) {
      if (step_ == 0) return false;
      next_ = heads_[--step_];
    }
    index = next_;
    next_ = lines_[index].next;
    return true;
  }
  std::uint32_t line(std::uint32_t index) const { return lines_[index].line; }

  // Whether the line just given is worth less by now; then it comes again in its turn.
  bool put_back(std::uint32_t index, float value) {
    lines_[index].key = key(value);
    if (step_of(index) >= step_) return false;
    put(index);
    return true;
  }

 private:
  static constexpr std::uint32_t none = ~0u,
                                 steps = 16'384;  // 32 powers of two, 512 steps each; below lies one heap

  // The bits of positive floats are in their order.
  static std::uint32_t key(float value) { return std::bit_cast<std::uint32_t>(value) >> 14; }

  std::uint32_t step_of(std::uint32_t index) const {
    const std::uint32_t below = top_ - lines_[index].key;
    return below < steps ? steps - 1 - below : 0;
  }
  void put(std::uint32_t index) { lines_[index].next = std::exchange(heads_[step_of(index)], index); }

  struct Offer {
    std::uint32_t line, key, next;
  };
  std::vector<Offer> lines_;
  std::vector<std::uint32_t> heads_;
  std::uint32_t top_ = 0, step_ = 0, next_ = none;
};

}  // namespace

// Values only fall while names become held, so an offer whose value is still the highest after a fresh look
// is the best.
Tokens LineChoice::spend(const std::vector<std::uint32_t>& candidates, Tokens room) {
  Offers offers(candidates.size());
  for (const auto line : candidates) {
    if (const float v = kept_[line] ? 0 : value(line); v > 0) offers.collect(line, v);
  }
  offers.sort();
  auto left = static_cast<float>(room);
  for (std::uint32_t i = 0; left > 0 && offers.next(i);) {
    const std::uint32_t at = offers.line(i);
    const float now = value(at);
    if (now <= 0 || offers.put_back(i, now)) continue;
    const SurveyLine& line = survey_.lines[at];
    const float cost = survey_.parts[line.part].rate * static_cast<float>(line.size);
    if (cost > left) continue;
    left -= cost;
    keep(at);
  }
  return static_cast<Tokens>(left);
}

}  // namespace tern
