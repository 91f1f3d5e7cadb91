#include "compression/reading/kept_words.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "compression/reading/importance.h"
#include "compression/reading/snip.h"
#include "compression/reading/summary_text.h"
#include "compression/text/plain_text.h"
#include "compression/text/rules.h"
#include "compression/values/blocks.h"
#include "compression/values/tokens.h"

namespace tern {

namespace {

constexpr Tokens least_excerpt = 60;

Words quoted(const Item& item) {
  std::string text;
  for (const auto* block : blocks_of<Text>(item)) text += (text.empty() ? "" : "\n") + block->text;
  return {"> " + text, item.recall};
}

// Head and tail of what does not fit, with the id of the whole; empty when not even that fits.
std::string excerpt(const Words& words, Tokens room) {
  if (!words.recall || room < least_excerpt) return {};
  auto limit = static_cast<double>(words.text.size()) * static_cast<double>(room) /
               static_cast<double>(estimate(words.text));
  for (; limit > least_excerpt; limit *= 0.8) {
    auto cut = snip_text(words.text, {.limit = static_cast<std::size_t>(limit), .kind = OutputKind::source},
                         words.recall);
    if (estimate(cut) + 1 <= room) return cut;
  }
  return {};
}

// Stands for the person's messages that found no room; how many, when a text is such a note.
constexpr std::string_view more_head = "> [and ",
                           more_tail = " older messages of the user: Recall finds each by a word of it]";
std::string more_note(std::size_t messages) {
  return std::string(more_head) + std::to_string(messages) + std::string(more_tail);
}
std::size_t more_of(std::string_view text) {
  std::size_t messages = 0;
  if (!text.starts_with(more_head) || !text.ends_with(more_tail)) return 0;
  text = text.substr(more_head.size(), text.size() - more_head.size() - more_tail.size());
  return std::from_chars(text.data(), text.data() + text.size(), messages).ptr == text.data() + text.size()
             ? messages
             : 0;
}

std::vector<std::string_view> quotes_in(std::string_view kept) {
  std::vector<std::string_view> quotes;
  while (!kept.empty()) {
    const auto next = kept.find("\n> ");
    quotes.push_back(kept.substr(0, next));
    kept = next == kept.npos ? std::string_view() : kept.substr(next + 1);
  }
  return quotes;
}

// It stays kept when that summary is summarised in its turn. The person's own paragraphs and quotes are part
// of a message.
void carry_over(const Item& summary, std::vector<Words>& messages) {
  for (const auto* block : blocks_of<Summary>(summary))
    for (const auto quote : quotes_in(kept_part(block->text))) messages.push_back({std::string(quote), {}});
}

// Of a message, quoted, the sentences that demand something; empty when there is none, or little else.
std::string demands_of(std::string_view message) {
  std::string out;
  for (const auto rule : rules_in(message.substr(std::min(message.size(), message.find_first_not_of("> ")))))
    out.append(out.empty() ? "> \xE2\x80\xA6 " : " ").append(rule);
  return out.size() * 5 > message.size() * 4 ? std::string() : out;
}

}  // namespace

std::size_t quoted_messages(std::string_view kept) {
  const auto quotes = quotes_in(kept);
  return static_cast<std::size_t>(
      std::count_if(quotes.begin(), quotes.end(), [](auto quote) { return more_of(trimmed(quote)) == 0; }));
}

People people_of(const std::vector<ItemPtr>& items, const std::vector<bool>& goes) {
  People people;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!goes[i]) {
      if (people.messages.empty() && is_human(*items[i])) people.opens = false;
      continue;
    }
    carry_over(*items[i], people.messages);
    if (is_human(*items[i])) people.messages.push_back(quoted(*items[i]));
  }
  std::erase_if(people.messages, [&](const Words& words) {
    const auto left_out = more_of(words.text);
    people.more += left_out;
    return left_out > 0;
  });
  for (const auto& words : people.messages) people.tokens += estimate(words.text) + 1;
  return people;
}

std::string kept_messages(const People& people, Tokens budget) {
  const auto& messages = people.messages;
  std::vector<std::size_t> order;
  const std::size_t opening = people.opens && !messages.empty() ? 1 : 0;
  if (opening) order.push_back(0);
  for (std::size_t i = messages.size(); i-- > opening;) order.push_back(i);
  if (people.more > 0 || people.tokens > budget) budget -= estimate(more_note(messages.size()));
  std::vector<std::string> kept(messages.size());
  const auto keep = [&](std::size_t i, std::string text) {
    const Tokens cost = estimate(text) - estimate(kept[i]) + (kept[i].empty() ? 1 : 0);
    if (text.empty() || cost > budget) return;
    budget -= cost;
    kept[i] = std::move(text);
  };
  const auto keep_words = [&](std::size_t i) {
    keep(i, messages[i].text);
    if (kept[i].empty()) keep(i, excerpt(messages[i], budget / 2));
  };
  if (opening) keep_words(0);
  if (people.tokens > budget) {
    for (const auto i : order)
      if (kept[i].empty()) keep(i, demands_of(messages[i].text));
  }
  for (const auto i : order)
    if (i >= opening) keep_words(i);
  const auto more =
      people.more + static_cast<std::size_t>(std::count(kept.begin(), kept.end(), std::string()));
  std::string out;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (!kept[i].empty()) out += kept[i] + '\n';
    if (i == 0 && more > 0) out += more_note(more) + '\n';
  }
  if (!out.empty()) out.pop_back();
  return out;
}

std::string kept_answers(const std::vector<ItemPtr>& items, const std::vector<bool>& goes, double threshold,
                         Tokens budget) {
  struct Answer {
    std::size_t place;
    std::string text;
    double cost;  // tokens, dearer with age
  };
  std::vector<Answer> answers;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!goes[i] || items[i]->role != Role::assistant || importance(*items[i]).score < threshold - 1e-9)
      continue;
    std::string text;
    for (const auto* block : blocks_of<Text>(*items[i])) text += (text.empty() ? "" : "\n") + block->text;
    if (is_blank(text)) continue;
    if (const auto id = items[i]->recall) text.insert(0, "(" + to_string(id) + ") ");
    const double age = static_cast<double>(items.size() - i) / static_cast<double>(items.size());
    const auto tokens = static_cast<double>(estimate(text) + 1);
    answers.push_back({i, std::move(text), tokens * (0.5 + age)});
  }
  std::stable_sort(answers.begin(), answers.end(),
                   [](const Answer& a, const Answer& b) { return a.cost < b.cost; });
  std::erase_if(answers, [&](const Answer& answer) {
    const Tokens tokens = estimate(answer.text) + 1;
    if (tokens > budget) return true;
    budget -= tokens;
    return false;
  });
  std::sort(answers.begin(), answers.end(),
            [](const Answer& a, const Answer& b) { return a.place < b.place; });
  std::string out;
  for (const auto& answer : answers) out += (out.empty() ? "" : "\n") + answer.text;
  return out;
}

}  // namespace tern
