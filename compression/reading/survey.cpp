#include "compression/reading/survey.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "compression/reading/summary_prompt.h"
#include "compression/reading/summary_text.h"
#include "compression/text/prose.h"
#include "compression/text/rules.h"
#include "compression/values/tokens.h"

namespace tern {

namespace {

constexpr std::uint32_t longest_line = 320, split_at = 240;  // bytes
constexpr std::size_t opening_lines = 3;                     // of what the person wrote
constexpr std::uint32_t long_value = 240, first_line = 160;  // of a call's arguments

// Open addressing over 64-bit keys: index of each distinct name, in order of appearance.
class Interner {
 public:
  explicit Interner(std::size_t expected) : slots_(std::bit_ceil(expected * 2 + 64), 0), keys_() {
    keys_.reserve(expected / 2);
  }

  std::uint32_t operator()(std::uint64_t key) {
    if (keys_.size() * 2 > slots_.size()) grow();
    auto& slot = find(key);
    if (slot == 0) {
      keys_.push_back(key);
      slot = static_cast<std::uint32_t>(keys_.size());
    }
    return slot - 1;
  }

 private:
  std::uint32_t& find(std::uint64_t key) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = key & mask;; at = (at + 1) & mask) {
      if (slots_[at] == 0 || keys_[slots_[at] - 1] == key) return slots_[at];
    }
  }
  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (std::uint32_t i = 0; i < keys_.size(); ++i) find(keys_[i]) = i + 1;
  }

  std::vector<std::uint32_t> slots_;
  std::vector<std::uint64_t> keys_;
};

std::uint32_t utf8_boundary(std::string_view text, std::uint32_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

// Where to part a long line: after the last separator, never inside a character or an escape.
std::uint32_t split_point(std::string_view text) {
  const auto at = text.substr(0, split_at).find_last_of(" ,;}");
  std::uint32_t cut = at != text.npos && at > split_at / 2 ? static_cast<std::uint32_t>(at) + 1
                                                           : utf8_boundary(text, split_at);
  std::uint32_t slashes = 0;
  while (slashes < cut && text[cut - 1 - slashes] == '\\') ++slashes;
  return slashes % 2 ? cut + 1 : cut;
}

std::size_t text_bytes(const Block& block) {
  return std::visit(overloaded{
                        [](const Text& b) { return b.text.size(); },
                        [](const Thinking& b) { return b.text.size(); },
                        [](const ToolCall& b) { return b.arguments.size(); },
                        [](const ToolResult& b) { return b.text.size(); },
                        [](const Summary& b) { return b.text.size(); },
                        [](const auto&) { return std::size_t{0}; },
                    },
                    block);
}

// What an item costs beside its text: role, frame, names of tools.
Tokens shell_of(const Item& item) {
  static const Tokens frame = estimate(Item{}), result = estimate(Block{ToolResult{}});
  Tokens sum = frame;
  for (const auto& block : item.blocks) {
    if (std::holds_alternative<ToolResult>(block)) sum += result;
    if (const auto* call = std::get_if<ToolCall>(&block))
      sum += estimate(Block{ToolCall{{}, call->name, {}, {}}});
  }
  return sum;
}

class Surveyor {
 public:
  explicit Surveyor(const Conversation& conversation)
      : conversation_(conversation), intern_(expected_names()) {}

  Survey run() {
    Tokens before = 0;
    for (std::uint32_t i = 0; i < conversation_.items.size(); ++i) {
      const Item& item = *conversation_.items[i];
      if (item.role != Role::system) take(item, i, before);
      before += item.tokens;
    }
    const auto total = static_cast<float>(std::max<Tokens>(1, before));
    for (auto& part : result_.parts) part.age = 1 - part.age / total;
    for (auto& use : result_.uses) use.age = result_.parts[use.last_part].age;
    return std::move(result_);
  }

 private:
  std::size_t expected_names() {
    for (const auto& item : conversation_.items) {
      for (const auto& block : item->blocks) result_.bytes += static_cast<double>(text_bytes(block));
    }
    result_.lines.reserve(static_cast<std::size_t>(result_.bytes / 30) + 16);
    result_.names.reserve(static_cast<std::size_t>(result_.bytes / 12) + 16);
    return static_cast<std::size_t>(result_.bytes / 24);
  }

  void take(const Item& item, std::uint32_t index, Tokens before) {
    std::size_t bytes = 0;
    for (const auto& block : item.blocks) bytes += text_bytes(block);
    SurveyPart part;
    part.item = index;
    part.rate = bytes ? static_cast<float>(std::max<Tokens>(0, item.tokens - shell_of(item))) /
                            static_cast<float>(bytes)
                      : 0;
    part.age = static_cast<float>(before);
    for (std::uint32_t b = 0; b < item.blocks.size(); ++b) {
      part.block = b;
      std::visit(
          overloaded{
              [&](const Text& t) { add(part, is_person(item) ? PartKind::human : PartKind::said, t.text); },
              [&](const ToolCall& c) { add(part, PartKind::call, c.arguments); },
              [&](const ToolResult& r) { add(part, PartKind::result, r.text); },
              [&](const Summary& s) { add(part, PartKind::summary, s.text); },
              [](const auto&) {},
          },
          item.blocks[b]);
    }
  }

  static bool is_person(const Item& item) { return item.role == Role::user && !item.synthetic; }

  void add(SurveyPart part, PartKind kind, std::string_view text) {
    part.kind = kind;
    part.text = text;
    part.first = static_cast<std::uint32_t>(result_.lines.size());
    part_ = static_cast<std::uint32_t>(result_.parts.size());
    result_.parts.push_back(part);
    const auto quoted = kind == PartKind::summary ? kept_part(text) : std::string_view();
    words_end_ = quoted.empty() ? 0 : static_cast<std::size_t>(quoted.data() - text.data()) + quoted.size();
    words_begin_ =
        quoted.empty() ? 0 : text.rfind('\n', words_end_ - quoted.size() - 2) + 1;  // its heading, too
    scanned_ = {.text = text, .escapes = kind == PartKind::call ? Escapes::json : Escapes::plain};
    if (kind == PartKind::call)
      call_lines(text);
    else
      plain_lines(text);
    result_.parts.back().last = static_cast<std::uint32_t>(result_.lines.size());
  }

  void plain_lines(std::string_view text) {
    for (std::uint32_t at = 0; at < text.size();) {
      const void* nl = std::memchr(text.data() + at, '\n', text.size() - at);
      const auto end = nl ? static_cast<std::uint32_t>(static_cast<const char*>(nl) - text.data()) + 1
                          : static_cast<std::uint32_t>(text.size());
      split(text, at, end);
      at = end;
    }
  }

  // Long string values of a JSON text are taken line by line; everything else is the frame of the call.
  void call_lines(std::string_view text) {
    std::uint32_t frame = 0;
    for (std::uint32_t at = 0; at < text.size();) {
      if (text[at] != '"') {
        ++at;
        continue;
      }
      const std::uint32_t begin = at + 1, end = end_of_string(text, begin);
      at = end + 1;
      if (end - begin <= long_value) continue;
      const std::uint32_t inner = begin + first_part(text.substr(begin, end - begin));
      one_line(text, frame, inner, true, true, true);
      for (std::uint32_t p = inner; p < end;) {
        const auto nl = escaped_newline(text, p, end);
        split(text, p, nl);
        p = nl;
      }
      frame = end;
    }
    if (frame < text.size()) one_line(text, frame, static_cast<std::uint32_t>(text.size()), true, true, true);
  }

  static std::uint32_t end_of_string(std::string_view text, std::uint32_t at) {
    while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
    return std::min(at, static_cast<std::uint32_t>(text.size()));
  }

  static std::uint32_t escaped_newline(std::string_view text, std::uint32_t at, std::uint32_t end) {
    while (at < end) {
      if (text[at] != '\\')
        ++at;
      else if (at + 1 < end && text[at + 1] == 'n')
        return at + 2;
      else
        at += 2;
    }
    return end;
  }

  // The first line of a long value stays with the frame: it says what the value is.
  static std::uint32_t first_part(std::string_view value) {
    const auto line = escaped_newline(value, 0, static_cast<std::uint32_t>(value.size()));
    return line <= first_line ? line : 0;
  }

  // Behind the sentence and its blanks.
  static std::uint32_t next_sentence(std::string_view text, std::uint32_t begin, std::uint32_t end) {
    const auto line = text.substr(0, end);
    auto at = end_of_sentence(line, begin);
    while (at < end && line[at] == ' ') ++at;
    return static_cast<std::uint32_t>(at);
  }

  void split(std::string_view text, std::uint32_t begin, std::uint32_t end) {
    bool starts = true;
    if (result_.parts[part_].kind == PartKind::said) {  // sentence by sentence
      for (auto cut = next_sentence(text, begin, end); cut < end; cut = next_sentence(text, begin, end)) {
        one_line(text, begin, cut, starts, false, false);
        begin = cut;
        starts = false;
      }
    }
    const bool whole = result_.parts[part_].kind == PartKind::human;  // a person's sentences are not torn
    while (!whole && end - begin > longest_line) {
      const auto cut = begin + split_point(text.substr(begin, end - begin));
      one_line(text, begin, cut, starts, false, false);
      begin = cut;
      starts = false;
    }
    if (end > begin) one_line(text, begin, end, starts, true, false);
  }

  void one_line(std::string_view text, std::uint32_t begin, std::uint32_t end, bool starts, bool ends,
                bool frame) {
    SurveyLine line{
        .part = part_, .begin = begin, .size = end - begin, .starts = starts, .ends = ends, .frame = frame};
    const auto view = text.substr(begin, end - begin);
    found_.clear();
    const bool error = scan_names(scanned_, begin, end, found_);
    const auto kind = result_.parts[part_].kind;
    if (kind == PartKind::human)
      line.frame = result_.lines.size() - result_.parts[part_].first < opening_lines || states_rule(view);
    if (kind == PartKind::said) {
      line.prose = static_cast<std::uint16_t>(std::min<std::size_t>(words_in(view), 1'000));
      line.reason = gives_reason(view);
    }
    // A summary that was written as one has no excerpts: its indented lines are lists, or the person's own
    // words.
    if (kind == PartKind::summary) line.words = begin >= words_begin_ && begin < words_end_;
    if (kind == PartKind::summary)
      line.frame = line.words || !view.starts_with("  ") || text.starts_with(summary_head);
    if (begin == 0 && kind != PartKind::call && view.starts_with(compacted_label)) line.frame = true;
    if (error && kind == PartKind::result) {
      line.error = true;
      scan_error_runs(view, found_);
    }
    line.first = static_cast<std::uint32_t>(result_.names.size());
    for (const auto& name : found_) {
      note(name, line.first);
      if (name.kind >= NameKind::ident && name.kind != NameKind::error)
        line.named += static_cast<std::uint32_t>(name.text.size());
    }
    line.last = static_cast<std::uint32_t>(result_.names.size());
    result_.lines.push_back(line);
  }

  void note(const Name& name, std::uint32_t first) {
    const auto id = intern_(key_of(name));
    if (id == result_.uses.size()) result_.uses.push_back({.kind = name.kind, .last_part = ~0u});
    auto& names = result_.names;
    if (std::find(names.begin() + first, names.end(), id) != names.end()) return;
    names.push_back(id);
    auto& use = result_.uses[id];
    if (use.last_part == part_) return;
    use.last_part = part_;
    switch (result_.parts[part_].kind) {
      case PartKind::human: ++use.human; break;
      case PartKind::result: ++use.results; break;
      default: ++use.said;
    }
  }

  const Conversation& conversation_;
  Survey result_;
  Interner intern_;
  NameText scanned_;
  std::vector<Name> found_;
  std::uint32_t part_ = 0;
  std::size_t words_begin_ = 0, words_end_ = 0;  // of the part, when it quotes the person
};

}  // namespace

Survey survey(const Conversation& conversation) { return Surveyor(conversation).run(); }

std::string_view text_of(const Survey& survey, const SurveyLine& line) {
  return survey.parts[line.part].text.substr(line.begin, line.size);
}

}  // namespace tern
