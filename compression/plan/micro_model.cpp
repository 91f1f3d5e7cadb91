#include <charconv>
#include <unordered_map>

#include "compression/plan/microcompact.h"
#include "compression/reading/snip.h"
#include "compression/text/lines.h"
#include "compression/values/describe.h"
#include "compression/values/tokens.h"

namespace tern {

namespace {

constexpr Tokens line_limit = 100;           // output tokens for each result
constexpr std::size_t shown_result = 4'000;  // characters of a result that the model is shown

// Results of the conversation by the edit that would replace them.
class Originals {
 public:
  explicit Originals(const Conversation& conversation) {
    for (const auto& item : conversation.items) items_.emplace(item->id.value, item.get());
  }

  const ToolResult* of(const Edit& edit) const {
    const auto* replace = std::get_if<Replace>(&edit.how);
    const auto item = items_.find(edit.target.value);
    if (!replace || item == items_.end() || replace->block >= item->second->blocks.size()) return nullptr;
    return std::get_if<ToolResult>(&item->second->blocks[replace->block]);
  }

 private:
  std::unordered_map<std::uint64_t, const Item*> items_;
};

// "3: text", "3. text", "[3] text"; the number is 0 when there is none.
std::size_t take_number(std::string_view& line) {
  line = trimmed(line);
  take(line, "- ");
  take(line, "[");
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc{}) return 0;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  while (!line.empty() &&
         (line.front() == ']' || line.front() == ':' || line.front() == '.' || line.front() == ')'))
    line.remove_prefix(1);
  line = trimmed(line);
  return number;
}

void put_line(Edit& edit, std::string_view line, const ToolResult& original) {
  auto& replace = std::get<Replace>(edit.how);
  auto& result = std::get<ToolResult>(replace.with);
  const auto rest = result.text.find('\n');
  std::string text = "[Compacted: " + std::string(line) +
                     (result.recall ? " \xC2\xB7 " + to_string(result.recall) : "") + "]";
  if (rest != result.text.npos) text += result.text.substr(rest);
  const Tokens saved = edit.saved + estimate(result.text) - estimate(text);
  if (saved <= 0 || estimate(text) >= estimate(original.text)) return;
  result.text = std::move(text);
  edit.saved = saved;
}

}  // namespace

MicroRequest micro_request(const Conversation& conversation, const Edits& edits) {
  const Originals originals(conversation);
  MicroRequest request;
  request.instructions =
      "Below are numbered tool results. Answer with exactly one line for each, in the form `N: text`, at "
      "most 60 words: the "
      "tool, "
      "what it was asked, its outcome and the values that may be needed again (names, numbers, paths, error "
      "texts, verbatim). "
      "No other text.";
  std::size_t number = 0;
  for (const auto& edit : edits) {
    const auto* result = originals.of(edit);
    if (!result) continue;
    request.input += "[" + std::to_string(++number) + "] " + result->tool + " " + result->subject +
                     (result->is_error ? " (failed)" : "") + "\n" +
                     snip_text(result->text, {.limit = shown_result, .kind = output_kind(*result)}, {}) +
                     "\n\n";
  }
  request.max_output = static_cast<Tokens>(number) * line_limit;
  return request;
}

Edits with_micro_answer(const Conversation& conversation, Edits edits, std::string_view answer) {
  const Originals originals(conversation);
  std::vector<Edit*> numbered;
  for (auto& edit : edits) {
    if (originals.of(edit)) numbered.push_back(&edit);
  }
  each_line_of(answer, [&](std::string_view line) {
    const std::size_t number = take_number(line);
    if (number == 0 || number > numbered.size() || line.empty() || estimate(line) > line_limit) return;
    put_line(*numbered[number - 1], line, *originals.of(*numbered[number - 1]));
  });
  return edits;
}

}  // namespace tern
