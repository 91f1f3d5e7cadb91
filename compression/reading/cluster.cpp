#include "compression/reading/cluster.h"

#include <algorithm>
#include <map>

#include "compression/text/lines.h"
#include "compression/text/names.h"
#include "compression/values/blocks.h"
#include "compression/values/call_values.h"

namespace tern {

namespace {

constexpr std::size_t most_text = 4'000;  // bytes of a block that are read for its topic
constexpr double same_topic = 0.15;       // overlap from which on a turn goes on with the topic before it
constexpr std::size_t telling_words = 3;  // a request with fewer says nothing about a topic ("yes", "go on")
constexpr std::size_t topic_bytes = 60;
constexpr std::size_t most_keys = 600;  // of a topic: beyond them it is what its newest turn is about

std::string_view text_of(const Block& block) {
  if (const auto* b = std::get_if<Text>(&block)) return b->text;
  if (const auto* b = std::get_if<ToolCall>(&block)) return b->arguments;
  if (const auto* b = std::get_if<ToolResult>(&block)) return b->text;
  if (const auto* b = std::get_if<Summary>(&block)) return b->text;
  return {};
}

void tidy(std::vector<std::uint64_t>& keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

bool filler(std::string_view word) {
  static constexpr std::string_view words[] = {
      "about", "after", "again", "also",   "and",    "are",  "but",  "can",  "could", "does",
      "for",   "from",  "have",  "here",   "into",   "just", "like", "make", "more",  "need",
      "not",   "now",   "only",  "please", "should", "some", "that", "the",  "their", "then",
      "there", "these", "they",  "this",   "use",    "want", "was",  "were", "what",  "when",
      "where", "which", "will",  "with",   "would",  "you",  "your"};
  return std::binary_search(std::begin(words), std::end(words), word);
}

// Plain words of what was said, in small letters; Chinese text counts by pairs of characters.
void add_words(std::string_view text, std::vector<std::uint64_t>& words) {
  std::string word;
  const auto flush = [&] {
    if (word.size() >= 3 && !filler(word)) words.push_back(hash_text(word));
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= 'A' && c <= 'Z')
      word += static_cast<char>(c + 32);
    else if (c >= 'a' && c <= 'z')
      word += c;
    else
      flush();
    if (static_cast<unsigned char>(c) >= 0xE3 && i + 6 <= text.size())
      words.push_back(hash_text(text.substr(i, 6)));
  }
  flush();
}

// The keys of a call's arguments are the tool's, and no topic.
std::string said_in(const Block& block) {
  const auto text = text_of(block).substr(0, most_text);
  return std::holds_alternative<ToolCall>(block) ? without_keys(text) : std::string(text);
}

void add_block(const Block& block, Signature& s) {
  const bool call = std::holds_alternative<ToolCall>(block);
  const auto text = said_in(block);
  std::vector<Name> names;
  each_line_of(
      text, [&](std::string_view line) { scan_names(line, call ? Escapes::json : Escapes::plain, names); });
  for (const auto& name : names) {
    const bool path = name.kind == NameKind::path || name.kind == NameKind::file;
    if (path)
      s.paths.push_back(hash_text(name.text));
    else if (name.kind == NameKind::ident || name.kind == NameKind::flag)
      s.names.push_back(hash_text(name.text));
  }
  if (std::holds_alternative<Text>(block)) add_words(text, s.words);
}

double share(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  std::size_t common = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j)
      ++common, ++i, ++j;
    else if (*i < *j)
      ++i;
    else
      ++j;
  }
  return static_cast<double>(common) / static_cast<double>(std::min(a.size(), b.size()));
}

// The name most used in a stretch, paths before identifiers; else the first words of the request.
std::string topic_of(const std::vector<ItemPtr>& items, std::size_t first, std::size_t last) {
  std::map<std::string, int> uses;
  std::string opening;
  std::vector<Name> names;
  for (std::size_t i = first; i <= last; ++i) {
    for (const auto& block : items[i]->blocks) {
      if (std::holds_alternative<ToolResult>(block)) continue;
      const bool call = std::holds_alternative<ToolCall>(block);
      if (!call && opening.empty())
        opening = clipped(text_of(block).substr(0, text_of(block).find('\n')), topic_bytes);
      names.clear();
      const auto said = said_in(block);
      scan_names(said, call ? Escapes::json : Escapes::plain, names);
      for (const auto& name : names) {
        if (name.kind == NameKind::path)
          uses[std::string(name.text)] += 2;
        else if (name.kind == NameKind::ident)
          ++uses[std::string(name.text)];
      }
    }
  }
  const auto best = std::max_element(uses.begin(), uses.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return best != uses.end() && best->second > 2 ? best->first : opening;
}

}  // namespace

Signature signature_of(const Item& item) {
  Signature s;
  for (const auto& block : item.blocks) add_block(block, s);
  tidy(s.paths);
  tidy(s.names);
  tidy(s.words);
  return s;
}

void merge(Signature& into, const Signature& other) {
  const auto join = [](std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& from) {
    const auto middle = static_cast<std::ptrdiff_t>(to.size());
    to.insert(to.end(), from.begin(), from.end());
    std::inplace_merge(to.begin(), to.begin() + middle, to.end());
    to.erase(std::unique(to.begin(), to.end()), to.end());
  };
  join(into.paths, other.paths);
  join(into.names, other.names);
  join(into.words, other.words);
}

double overlap(const Signature& a, const Signature& b) {
  double sum = 0, weights = 0;
  const auto add = [&](const auto& x, const auto& y, double weight) {
    if (x.empty() || y.empty()) return;
    sum += weight * share(x, y);
    weights += weight;
  };
  add(a.paths, b.paths, 0.5);
  add(a.names, b.names, 0.3);
  add(a.words, b.words, 0.2);
  return weights > 0 ? sum / weights : 0;
}

std::vector<TopicCluster> clusters(const Conversation& conversation) {
  const auto& items = conversation.items;
  std::vector<TopicCluster> found;
  Signature topic;
  for (std::size_t i = 0; i < items.size();) {
    if (items[i]->role == Role::system) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < items.size() && !is_human(*items[end])) ++end;
    Signature turn = signature_of(*items[i]);
    const bool says_little = is_human(*items[i]) && turn.words.size() < telling_words;
    Tokens tokens = items[i]->tokens;
    for (std::size_t k = i + 1; k < end; ++k) {
      merge(turn, signature_of(*items[k]));
      tokens += items[k]->tokens;
    }
    if (!found.empty() && (says_little || overlap(topic, turn) >= same_topic)) {
      found.back().last = end - 1;
      found.back().tokens += tokens;
    } else {
      found.push_back({i, end - 1, {}, tokens});
      topic = {};
    }
    if (topic.paths.size() + topic.names.size() + topic.words.size() > most_keys)
      topic = std::move(turn);
    else
      merge(topic, turn);
    i = end;
  }
  for (auto& cluster : found) cluster.topic = topic_of(items, cluster.first, cluster.last);
  return found;
}

}  // namespace tern
