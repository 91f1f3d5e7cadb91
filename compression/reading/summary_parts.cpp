#include "compression/reading/summary_parts.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "compression/reading/summary_answer.h"
#include "compression/reading/summary_prompt.h"
#include "compression/text/lines.h"
#include "compression/values/blocks.h"
#include "compression/values/tokens.h"

namespace tern {

namespace {

constexpr std::size_t sections = 11;
constexpr std::size_t first_of_now = 7,
                      last_of_now = 8;     // "8. Current work" and "9. Next step" tell where the work stands
constexpr std::size_t least_sections = 3;  // fewer headings: the model did not follow the form
constexpr std::array<std::string_view, 5> fields = {"overall_goal", "key_knowledge", "file_system_state",
                                                    "recent_actions", "current_plan"};

struct Section {
  std::string heading, body;
};
using Sections = std::array<Section, sections>;

std::string_view stripped(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first == text.npos ? std::string_view()
                            : text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
}

// "none", "- None.", "* (none)", "N/A"
bool empty_line(std::string_view line) {
  constexpr std::string_view around = " \t\r-*•–()[].";
  std::string word;
  for (const char c : line)
    if (around.find(c) == around.npos) word += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return word.empty() || word == "none" || word == "n/a" || word == "nothing";
}

bool says_nothing(std::string_view body) {
  bool nothing = true;
  each_line_of(body, [&](std::string_view line) { nothing = nothing && empty_line(line); });
  return nothing;
}

// "3. Files and code: a.cpp", "## 3. Files and code", "**3. Files and code**": its number from 0, or nothing.
// The word tells it from an entry of a numbered list.
std::optional<std::size_t> heading_number(std::string_view line) {
  static constexpr std::array<std::string_view, sections> words = {"equest", "oncept",   "ile",    "rror",
                                                                   "roblem", "essage",   "ending", "urrent",
                                                                   "ext",    "referenc", "ecision"};
  while (!line.empty() && (line.front() == '#' || line.front() == '*' || line.front() == ' '))
    line.remove_prefix(1);
  std::size_t number = 0, digits = 0;
  while (digits < 2 && digits < line.size() && is_digit(line[digits]))
    number = number * 10 + static_cast<std::size_t>(line[digits++] - '0');
  if (number < 1 || number > sections || !line.substr(digits).starts_with(". ")) return std::nullopt;
  --number;
  return line.substr(0, line.find(':')).find(words[number]) == line.npos ? std::nullopt
                                                                         : std::optional(number);
}

std::optional<Sections> sections_of(std::string_view text) {
  Sections found;
  std::size_t next = 0, seen = 0;
  Section* now = nullptr;
  each_line_of(text, [&](std::string_view line) {
    const auto number = heading_number(line);
    if (!number || *number < next) {
      if (now) now->body.append(line).append("\n");
      return;
    }
    next = *number + 1;
    ++seen;
    now = &found[*number];
    const auto colon = line.find(':');
    now->heading = line.substr(0, colon);
    if (colon != line.npos) now->body.append(trimmed(line.substr(colon + 1))).append("\n");
  });
  if (seen < least_sections) return std::nullopt;
  return found;
}

std::string joined_sections(const std::vector<Sections>& parts) {
  std::string out;
  for (std::size_t i = 0; i < sections; ++i) {
    std::string heading, body;
    for (const auto& part : parts) {
      if (heading.empty()) heading = part[i].heading;
      if (says_nothing(part[i].body)) continue;
      if (i >= first_of_now && i <= last_of_now) body.clear();
      body.append(stripped(part[i].body)).append("\n");
    }
    if (!heading.empty()) out += heading + ":\n" + (body.empty() ? "none\n" : body);
  }
  return out;
}

std::string field_of(const std::string& text, std::string_view name) {
  const auto open = "<" + std::string(name) + ">", close = "</" + std::string(name) + ">";
  const auto begin = text.find(open);
  if (begin == text.npos) return {};
  const auto end = text.find(close, begin);
  return std::string(stripped(std::string_view(text).substr(begin + open.size(), end - begin - open.size())));
}

std::string joined_fields(const std::vector<std::string>& parts) {
  std::string out;
  for (const auto& name : fields) {
    std::string body;
    for (const auto& part : parts) {
      const auto text = field_of(part, name);
      if (says_nothing(text)) continue;
      if (name == fields.back()) body.clear();
      if (body.find(text) == body.npos) body += text + "\n";
    }
    if (!body.empty()) out += "<" + std::string(name) + ">\n" + body + "</" + std::string(name) + ">\n";
  }
  return out;
}

std::string one_after_another(const std::vector<std::string>& parts) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i)
    out +=
        "Part " + std::to_string(i + 1) + " of " + std::to_string(parts.size()) + ":\n" + parts[i] + "\n\n";
  return out;
}

}  // namespace

std::vector<Conversation> summary_parts(const Conversation& source, Tokens room) {
  const Tokens total = count(source);
  room = std::max<Tokens>(room, 1);
  const Tokens parts = std::max<Tokens>(1, (total + room - 1) / room), goal = (total + parts - 1) / parts;
  const Tokens most = std::min(goal + goal / 8, room);
  std::vector<Conversation> found(1);
  Tokens here = 0;
  const auto& items = source.items;
  for (std::size_t first = 0, end = 0; first < items.size(); first = end) {
    Tokens step = items[first]->tokens;  // a message with the results that must follow it
    for (end = first + 1; end < items.size() && has<ToolResult>(*items[end]); ++end)
      step += items[end]->tokens;
    if (here > 0 && here + step > most) {
      found.emplace_back();
      here = 0;
    }
    const auto at = [&](std::size_t i) { return items.begin() + static_cast<std::ptrdiff_t>(i); };
    found.back().items.insert(found.back().items.end(), at(first), at(end));
    here += step;
  }
  return found;
}

std::string part_note(std::size_t part, std::size_t parts, Tokens target) {
  return "\n\nThis is part " + std::to_string(part) + " of " + std::to_string(parts) +
         " of the conversation, in order. The other parts are summarised beside it and joined with yours "
         "heading by heading, so "
         "write only what this part shows, and \"none\" under a heading it has nothing for." +
         length_note(target);
}

std::string bare_summary(const std::string& answer) {
  auto found = summary_answer(answer, SummaryStyle::sections);
  return found.opened || found.closed ? std::string(stripped(found.text)) : std::move(found.text);
}

std::string joined_answers(const std::vector<std::string>& answers, SummaryStyle style) {
  if (answers.size() == 1) return answers.front();
  std::vector<std::string> bare;
  std::vector<Sections> parts;
  for (const auto& answer : answers) {
    bare.push_back(bare_summary(answer));
    if (is_blank(bare.back())) return {};  // a part without an answer: the whole is not to be trusted
    if (auto found = sections_of(bare.back())) parts.push_back(std::move(*found));
  }
  std::string body;
  if (style == SummaryStyle::snapshot)
    body = joined_fields(bare);
  else if (parts.size() == bare.size())
    body = joined_sections(parts);
  if (body.empty()) body = one_after_another(bare);
  const std::string tag(summary_tags(style).answer);
  return "<" + tag + ">\n" + body + "</" + tag + ">";
}

}  // namespace tern
