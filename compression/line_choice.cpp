#include "compression/line_choice.h"

#include <algorithm>

namespace tern {

namespace {

constexpr float again = .02f;      // what a name is worth when it is held already: context of what was written since
constexpr float bare = .25f;       // share of a line's bytes inside names from which on it says little about them
constexpr float line_cost = 1.3f;  // tokens a line costs beside its own

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

LineChoice::LineChoice(const Survey& survey) : survey_(survey), held_(survey.uses.size(), 0), kept_(survey.lines.size(), 0) {
  needs_.reserve(survey.uses.size());
  for (const auto& use : survey.uses) needs_.push_back(need_of(use));
}

void LineChoice::keep(std::uint32_t line) {
  kept_[line] = 1;
  const SurveyLine& l = survey_.lines[line];
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
  return sum / (part.rate * static_cast<float>(l.size) + line_cost);
}

namespace {

struct Offer {
  float value;
  std::uint32_t line;
  bool operator<(const Offer& other) const { return value != other.value ? value < other.value : line < other.line; }
};

// The top took a lower value: down to its place, in one pass.
void sink_top(std::vector<Offer>& heap) {
  const Offer moved = heap.front();
  const std::size_t size = heap.size();
  std::size_t at = 0;
  for (std::size_t child; (child = 2 * at + 1) < size; at = child) {
    if (child + 1 < size && heap[child] < heap[child + 1]) ++child;
    if (!(moved < heap[child])) break;
    heap[at] = heap[child];
  }
  heap[at] = moved;
}

void pop_top(std::vector<Offer>& heap) {
  heap.front() = heap.back();
  heap.pop_back();
  if (!heap.empty()) sink_top(heap);
}

}  // namespace

// Values only fall while names become held, so an offer whose value is still the highest after a fresh look is the best.
Tokens LineChoice::spend(std::vector<std::uint32_t> candidates, Tokens room) {
  std::vector<Offer> heap;
  heap.reserve(candidates.size());
  for (const auto line : candidates) {
    const float v = kept_[line] ? 0 : value(line);
    if (v > 0) heap.push_back({v, line});
  }
  std::make_heap(heap.begin(), heap.end());
  auto left = static_cast<float>(room);
  while (!heap.empty() && left > 0) {
    auto& top = heap.front();
    const float now = value(top.line);
    if (now < top.value) {
      top.value = now;
      if (now > 0)
        sink_top(heap);
      else
        pop_top(heap);
      continue;
    }
    const SurveyLine& line = survey_.lines[top.line];
    const float cost = survey_.parts[line.part].rate * static_cast<float>(line.size);
    if (cost <= left) {
      left -= cost;
      keep(top.line);
    }
    pop_top(heap);
  }
  return static_cast<Tokens>(left);
}

}  // namespace tern
