#include "compression/plan/summary_local.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "compression/plan/removal.h"
#include "compression/plan/strategies.h"
#include "compression/reading/cluster.h"
#include "compression/reading/importance.h"
#include "compression/reading/summarize.h"
#include "compression/reading/survey.h"
#include "compression/text/lines.h"
#include "compression/text/prose.h"
#include "compression/text/sentences.h"
#include "compression/values/blocks.h"
#include "compression/values/describe.h"
#include "compression/values/outcome.h"
#include "compression/values/tokens.h"

namespace tern {

namespace {

constexpr std::size_t most_media = 5, most_topics = 5, most_points = 7, most_patterns = 4, most_results = 5,
                      most_tools = 12;
constexpr std::size_t topic_bytes = 140, point_bytes = 200, result_bytes = 160, subject_bytes = 120;

// Lines under a heading while a budget lasts.
class Section {
 public:
  Section(std::string heading, Tokens budget)
      : heading_(std::move(heading)), left_(budget - estimate(heading_) - 2) {}

  bool add(const std::string& line) {
    const Tokens cost = estimate(line) + 2;
    if (cost > left_) return false;
    left_ -= cost;
    lines_ += "\n- " + line;
    return true;
  }
  std::string text() const { return lines_.empty() ? std::string() : heading_ + lines_ + "\n"; }
  Tokens left() const { return left_; }

 private:
  std::string heading_, lines_;
  Tokens left_;
};

std::string spoken(const Item& item) {
  std::string out;
  for (const auto* text : blocks_of<Text>(item)) out += (out.empty() ? "" : "\n") + text->text;
  return out;
}

std::string_view first_line(std::string_view text) {
  text = text.substr(std::min(text.size(), text.find_first_not_of(" \t\r\n")));
  return trimmed(text.substr(0, text.find('\n')));
}

// The sentence that decides or gives a reason, else the first; code between fences says nothing.
std::string telling_sentence(std::string_view text) {
  const auto sentences = sentences_in(text);
  const auto reason = std::find_if(sentences.begin(), sentences.end(), gives_reason);
  if (reason != sentences.end()) return clipped(first_line(*reason), point_bytes);
  if (!sentences.empty()) return clipped(first_line(sentences.front()), point_bytes);
  const auto first = first_line(text);
  if (!first.starts_with("```")) return clipped(first, point_bytes);
  return clipped(first_line(text.substr(std::min(text.size(), text.find('\n')))), point_bytes);
}

std::string subject_of(const CallNote& note) {
  if (note.result && !note.result->subject.empty())
    return clipped(first_line(note.result->subject), subject_bytes);
  return clipped(note.call ? std::string_view(note.call->arguments) : std::string_view(), subject_bytes / 2);
}

std::string with_id(std::string text, RecallId id) {
  return id ? std::move(text) + " · " + to_string(id) : std::move(text);
}

std::string name_of(const CallNote& note) {
  return note.call ? note.call->name : note.result ? note.result->tool : "tool";
}

template <class Map>
std::vector<std::pair<std::string, int>> most_used(const Map& counts, std::size_t most) {
  std::vector<std::pair<std::string, int>> all(counts.begin(), counts.end());
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  if (all.size() > most) all.resize(most);
  return all;
}

std::string times(const std::vector<std::pair<std::string, int>>& counts) {
  std::string out;
  for (const auto& [name, n] : counts)
    out += (out.empty() ? "" : ", ") + name + " " + std::to_string(n) + "×";
  return out;
}

std::string plural(std::size_t n, std::string_view what) {
  return grouped(n) + " " + std::string(what) + (n == 1 ? "" : "s");
}

std::string first_of(const std::vector<std::string>& all, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i) text += (i ? ", " : "") + all[i];
  return all.size() > most ? text + ", …" : text;
}

}  // namespace

std::string system_part(const Groups& groups, std::string_view after) {
  std::string line = "Compacted " + plural(groups.messages, "message") +
                     " by rules: " + plural(groups.requests.size(), "request") + ", " +
                     plural(groups.answers.size(), "answer") + ", " +
                     plural(groups.calls.size(), "tool call") + ", " + plural(groups.errors.size(), "error");
  if (groups.images) line += ", " + plural(groups.images, "image");
  if (groups.documents) line += ", " + plural(groups.documents, "document");
  if (!groups.media.empty()) line += " (" + first_of(groups.media, most_media) + ")";
  line += "; ~" + grouped(static_cast<std::size_t>(std::max<Tokens>(0, groups.tokens))) + " tokens";
  if (!after.empty()) line += " before, " + std::string(after) + " after";
  return line + ".\n";
}

std::string tool_part(const Groups& groups, Tokens budget) {
  std::map<std::string, int> frequency, patterns;
  for (std::size_t i = 0; i < groups.calls.size(); ++i) {
    ++frequency[name_of(groups.calls[i])];
    if (i > 0 && name_of(groups.calls[i]) != name_of(groups.calls[i - 1]))
      ++patterns[name_of(groups.calls[i - 1]) + " → " + name_of(groups.calls[i])];
  }
  std::erase_if(patterns, [](const auto& p) { return p.second < 2; });
  Section section("## Tools", budget);
  if (!frequency.empty()) section.add("Frequency: " + times(most_used(frequency, most_tools)));
  if (!patterns.empty()) section.add("Patterns: " + times(most_used(patterns, most_patterns)));
  std::size_t shown = 0;
  for (auto note = groups.calls.rbegin(); note != groups.calls.rend() && shown < most_results; ++note) {
    const bool telling =
        note->result && !note->result->is_error && note->result->form != ResultForm::compacted &&
        (kind_of(*note->result) == ResultKind::tests || kind_of(*note->result) == ResultKind::search);
    if (telling && section.add(with_id(clipped(describe(*note->result), result_bytes), note->recall)))
      ++shown;
  }
  return section.text();
}

namespace {

struct Point {
  const Item* answer;
  std::size_t topic, place;
  double points, score;
};

// The most important answers on the scale of points, those under the threshold of the other scale never; then
// topic by topic.
std::vector<Point> key_points(const Groups& groups, const PointOrder& order) {
  std::vector<Point> points;
  TimePoint newest{};
  for (const auto* answer : groups.answers) newest = std::max(newest, answer->when);
  for (std::size_t i = 0; i < groups.answers.size(); ++i) {
    const Item* answer = groups.answers[i];
    const double score = importance(*answer).score;
    if (score < order.threshold - 1e-9) continue;
    const auto topic = order.topic.find(answer);
    const auto scored = importance_points(*answer, newest, order.referenced.count(answer) > 0);
    points.push_back({answer, topic == order.topic.end() ? 0 : topic->second, i, scored.score, score});
  }
  std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return std::tuple(-a.points, -a.score, -static_cast<double>(a.place)) <
           std::tuple(-b.points, -b.score, -static_cast<double>(b.place));
  });
  if (points.size() > most_points) points.resize(most_points);
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return std::pair(a.topic, a.place) < std::pair(b.topic, b.place);
  });
  return points;
}

// What was asked, each once: "continue" said ten times is one topic.
std::vector<std::string> topics_of(const Groups& groups) {
  std::vector<std::string> topics;
  for (const auto* request : groups.requests) {
    auto topic = clipped(first_line(spoken(*request)), topic_bytes);
    if (std::find(topics.begin(), topics.end(), topic) == topics.end()) topics.push_back(std::move(topic));
  }
  return topics;
}

}  // namespace

std::string conversation_part(const Groups& groups, Tokens budget, const PointOrder& order) {
  Section section("## Conversation", budget);
  const auto topics = topics_of(groups);
  for (std::size_t i = 0; i < std::min(topics.size(), most_topics); ++i) section.add("Asked: " + topics[i]);
  if (topics.size() > most_topics) section.add("… " + std::to_string(topics.size() - most_topics) + " more");
  std::map<std::string, int> changed;
  for (const auto& note : groups.calls) {
    if (note.call && critical(*note.call, note.result) == Critical::file_change) ++changed[subject_of(note)];
  }
  if (!changed.empty()) section.add("Changed: " + times(most_used(changed, most_tools)));
  std::map<std::string, int> categories;
  for (const auto& note : groups.errors) ++categories[std::string(error_category(note.result->text))];
  if (!categories.empty()) section.add("Errors: " + times(most_used(categories, most_tools)));
  std::size_t last_topic = ~std::size_t{0};
  for (const auto& point : key_points(groups, order)) {
    const bool opens =
        std::exchange(last_topic, point.topic) != point.topic && point.topic < order.topics.size();
    const auto topic = opens ? " (" + order.topics[point.topic] + ")" : "";
    section.add("Point" + topic + ": " +
                with_id(telling_sentence(spoken(*point.answer)), point.answer->recall));
  }
  return section.text();
}

// A line each, newest first, while the budget lasts; what is left of it then shows results whole, again
// newest first.
std::string critical_part(const Groups& groups, Tokens budget) {
  constexpr std::string_view heading = "## Changes and failures, newest first";
  std::vector<std::string> lines, whole;
  Section brief(std::string(heading), budget);
  for (auto note = groups.calls.rbegin(); note != groups.calls.rend(); ++note) {
    const auto kind = note->call ? critical(*note->call, note->result) : std::nullopt;
    if (!kind) continue;
    const auto head = name_of(*note) + " " + subject_of(*note) + " (" + std::string(to_string(*kind)) + ")";
    const bool told = note->result && note->result->form != ResultForm::compacted;
    auto line = with_id(told ? head + ": " + outcome_line(*note->result) : head, note->recall);
    if (!brief.add(line)) break;
    whole.push_back(told ? with_id(head + ": " + outcome(*note->result), note->recall) : line);
    lines.push_back(std::move(line));
  }
  auto left = brief.left();
  Section section(std::string(heading), budget);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Tokens more = estimate(whole[i]) - estimate(lines[i]);
    if (more <= left) left -= more, lines[i] = std::move(whole[i]);
    section.add(lines[i]);
  }
  return section.text();
}

std::string user_part(const Groups& groups, Tokens budget) {
  std::vector<std::string> kept;
  budget -= estimate("## What the user wrote, word for word") + 2;
  for (auto request = groups.requests.rbegin(); request != groups.requests.rend(); ++request) {
    auto text = "> " + spoken(**request);
    const Tokens cost = estimate(text) + 1;
    if (cost > budget) continue;
    budget -= cost;
    kept.push_back(std::move(text));
  }
  std::string out = kept.empty() ? "" : "## What the user wrote, word for word\n";
  for (auto text = kept.rbegin(); text != kept.rend(); ++text) out += *text + "\n";
  return out;
}

namespace {

// Topics from what was said and called; results are many and say little of what the talk is about.
PointOrder order_of(const FoldedRounds& folded) {
  PointOrder order;
  order.threshold = folded.config.importance_threshold;
  Conversation said;
  const auto& items = folded.whole.items;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!has<ToolResult>(*items[i])) said.items.push_back(items[i]);
    if (folded.referenced[i]) order.referenced.insert(items[i].get());
  }
  for (const auto& cluster : clusters(said)) {
    for (auto i = cluster.first; i <= cluster.last; ++i)
      order.topic[said.items[i].get()] = order.topics.size();
    order.topics.push_back(clipped(first_line(cluster.topic), subject_bytes / 2));
  }
  return order;
}

}  // namespace

namespace {

std::string points_text(const FoldedRounds& folded, const Groups& groups) {
  auto text = system_part(groups, after_mark);
  if (estimate(text) > folded.budget) return {};
  const auto left = [&] { return folded.budget - estimate(text); };
  text += critical_part(groups, left() / 2);
  text += conversation_part(groups, left() * 2 / 3, order_of(folded));
  return folded.config.preserve_tool_calls ? text + tool_part(groups, left()) : text;
}

// So many messages that they alone make a compaction due.
bool crowded(const Conversation& conversation, const Budget& budget) {
  const auto messages = std::count_if(conversation.items.begin(), conversation.items.end(),
                                      [](const auto& item) { return item->role != Role::system; });
  return messages > std::max(1, budget.config.trigger_messages);
}

bool deep_enough(const Conversation& before, const Conversation& after, const Budget& budget, Tokens goal) {
  const auto most = static_cast<std::size_t>(std::max(1, budget.config.trigger_messages)) * 3 / 4;
  return count(after) <= goal && (!crowded(before, budget) || after.items.size() <= most);
}

// Where the person's own messages fill the window, line by line is not deep enough: the old stretch becomes
// one summary, as by a model, with the person's words up to their share of it.
Edits whole_stretch(const Conversation& conversation, const Budget& budget, std::optional<ItemRange> range,
                    TimePoint now, Zone zone = Zone::all) {
  if (!range) return {};
  constexpr double words_share = 0.6;
  const auto request =
      summary_request(conversation, budget, *range, {}, now, {.kept = words_share, .zone = zone});
  const auto room =
      request.target - estimate(request.kept) - estimate(request.said) - estimate(request.index);
  const FoldedRounds gone{conversation, request.source.items,
                          referenced_later(survey(conversation), conversation.items.size()), room * 3 / 4,
                          budget.config};
  const auto text = with_after(points_text(gone, group(gone.items)), request.target);
  auto made = with_summary(request, "<summary>\n" + text + "</summary>");  // nothing of it is chatter
  auto* edits = std::get_if<Edits>(&made);
  return edits ? std::move(*edits) : Edits{};
}

}  // namespace

std::string local_summary_text(const FoldedRounds& folded) {
  const auto groups = group(folded.items);
  auto text = points_text(folded, groups);
  return text.empty() ? text : text + user_part(groups, folded.budget - estimate(text));
}

namespace {

Edits shortest_summary(const Conversation& conversation, const Budget& budget, const PlanState& state) {
  Condense how{.target = compaction_goal(budget), .tier = Tier::compact, .head = local_summary_text};
  if (!state.range) {
    const auto goal = std::max(how.target, item_target(budget, budget.config.micro_at));
    const bool many =
        crowded(conversation, budget);  // line by line leaves nearly as many messages: the other way first
    const auto room = item_target(budget, newest_results);
    const auto range =
        summary_range(conversation, sparing_what_fits(conversation, budget, room, Spared::everything_since));
    auto deeper = many ? whole_stretch(conversation, budget, range, state.now) : Edits{};
    if (!deeper.empty() && deep_enough(conversation, tern::apply(conversation, deeper), budget, goal))
      return deeper;
    auto edits = condense(conversation, budget, how);
    const auto rest = tern::apply(conversation, edits);
    if (deep_enough(conversation, rest, budget, goal)) return edits;
    if (!many) deeper = whole_stretch(conversation, budget, range, state.now);
    return deeper.empty() || count(tern::apply(conversation, deeper)) > count(rest) ? edits : deeper;
  }
  const auto picked =
      summary_request(conversation, budget, *state.range, {}, state.now, {.zone = Zone::pins});
  const auto share = static_cast<Tokens>(budget.config.compact_target * static_cast<double>(picked.replaces));
  how.target = std::min(picked.target, share);
  return condense(picked.source, budget, how);
}

}  // namespace

// Of a range picked by hand only that range is cut, to the share a compaction comes down to.
Edits local_summary(const Conversation& conversation, const Budget& budget, const PlanState& state) {
  auto edits = shortest_summary(conversation, budget, state);
  return count(tern::apply(conversation, edits)) < count(conversation) ? edits : Edits{};
}

namespace {

Edits propose_local(const Conversation& conversation, const Budget& budget) {
  return local_summary(conversation, budget, {});
}

}  // namespace

constinit const Strategy local_strategy{"local", "a summary made by rules, without a model", propose_local};

}  // namespace tern
