#include "compression/reading/fold_lines.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace tern {

namespace {

constexpr std::size_t longest_subject = 120;

std::size_t calls_in(const Item& item) {
  return static_cast<std::size_t>(std::count_if(item.blocks.begin(), item.blocks.end(), [](const Block& b) {
    return std::holds_alternative<ToolCall>(b);
  }));
}

bool only_results(const Item& item, std::size_t calls) {
  const auto is_result = [](const Block& b) { return std::holds_alternative<ToolResult>(b); };
  return item.role == Role::user && !item.pinned && item.blocks.size() == calls &&
         std::all_of(item.blocks.begin(), item.blocks.end(), is_result);
}

std::string_view clipped(std::string_view text, std::size_t most) {
  text = text.substr(0, std::min(text.find('\n'), most));
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.remove_suffix(1);
  if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0) text.remove_suffix(1);
  return text;
}

// The usual escapes of a JSON string; others stay as they are.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : '\0';
    const auto known = std::string_view("nt\"\\").find(next);
    if (next == '\0' || known == std::string_view::npos)
      out += text[i];
    else
      out += "\n\t\"\\"[known], ++i;
  }
  return out;
}

// The rows of one run, in the order their subjects came up.
class Rows {
 public:
  explicit Rows(const FoldInput& input) : input_(input) {}

  void add(std::size_t item) {
    const Item& it = *input_.items[item];
    for (std::uint32_t b = 0; b < it.blocks.size(); ++b) {
      if (const auto* call = std::get_if<ToolCall>(&it.blocks[b]))
        calls_[call->id] = {item, b};
      else if (const auto* result = std::get_if<ToolResult>(&it.blocks[b]))
        add_result(it, *result, item, b);
      else if (std::holds_alternative<Text>(it.blocks[b]))
        add_said(it, item, b);
    }
  }

  std::string text() const {
    std::string out;
    for (const auto& row : rows_) {
      if (row.refs.empty()) continue;
      out += row.subject + " ·" + row.refs + "\n" + row.lines;
    }
    return out;
  }

 private:
  struct Row {
    std::string subject, refs, lines, tool;
  };

  Row& row(std::string subject) {
    const auto [at, fresh] = index_.emplace(subject, rows_.size());
    if (fresh) rows_.push_back({std::move(subject), {}, {}, {}});
    return rows_[at->second];
  }

  static void refer(Row& row, const std::string& tool, RecallId id) {
    if (!id) return;
    if (row.tool != tool) row.refs += (row.tool.empty() ? " " : ", ") + tool;
    row.tool = tool;
    row.refs += " " + to_string(id);
  }

  void add_result(const Item& item, const ToolResult& result, std::size_t index, std::uint32_t block) {
    std::string subject(clipped(subject_of(result), longest_subject));
    if (!input_.directory.empty() && subject.starts_with(input_.directory))
      subject.erase(0, input_.directory.size());
    Row& to = row(std::move(subject));
    const auto call = calls_.find(result.call_id);
    if (call != calls_.end()) {
      const auto [at, b] = call->second;
      const auto lines = kept_lines(at, b);
      to.lines += lines;
      if (cut_in(at, b)) refer(to, result.tool, input_.items[at]->recall);
    }
    to.lines += kept_lines(index, block);
    if (to.tool.empty() || !whole(index, block))
      refer(to, result.tool, result.recall ? result.recall : item.recall);
  }

  void add_said(const Item& item, std::size_t index, std::uint32_t block) {
    const auto lines = kept_lines(index, block);
    if (lines.empty()) return;
    Row& to = row("said");
    refer(to, "in", item.recall);
    to.lines += lines;
  }

  const SurveyPart* part_of(std::size_t item, std::uint32_t block) const {
    const auto& parts = input_.survey.parts;
    const auto at = std::lower_bound(parts.begin(), parts.end(), std::pair(item, block),
                                     [](const SurveyPart& p, const auto& key) {
                                       return std::pair<std::size_t, std::uint32_t>(p.item, p.block) < key;
                                     });
    return at != parts.end() && at->item == item && at->block == block ? &*at : nullptr;
  }

  bool cut_in(std::size_t item, std::uint32_t block) const {
    const SurveyPart* part = part_of(item, block);
    return part && part->last - part->first > 1;
  }

  bool whole(std::size_t item, std::uint32_t block) const {
    const SurveyPart* part = part_of(item, block);
    return part && std::all_of(input_.kept.begin() + part->first, input_.kept.begin() + part->last,
                               [](char kept) { return kept != 0; });
  }

  std::string kept_lines(std::size_t item, std::uint32_t block) const {
    const SurveyPart* part = part_of(item, block);
    std::string out;
    for (auto l = part ? part->first : 0; part && l < part->last; ++l) {
      if (!input_.kept[l]) continue;
      const auto raw = text_of(input_.survey, input_.survey.lines[l]);
      std::string text = part->kind == PartKind::call ? unescaped(raw) : std::string(raw);
      while (!text.empty() && text.back() == '\n') text.pop_back();
      if (!text.empty()) out.append("  ").append(text).append("\n");
    }
    return out;
  }

  const FoldInput& input_;
  std::vector<Row> rows_;
  std::map<std::string, std::size_t> index_;
  std::unordered_map<std::string_view, std::pair<std::size_t, std::uint32_t>> calls_;
};

}  // namespace

std::string_view subject_of(const ToolResult& result) {
  const std::string_view subject = result.subject;
  return subject.empty() ? std::string_view(result.tool) : subject;
}

Tokens subject_cost(std::string_view subject, const std::string& directory) {
  auto size = std::min(subject.size(), longest_subject);
  if (!directory.empty() && subject.starts_with(directory)) size -= std::min(size, directory.size());
  return static_cast<Tokens>(size) * 3 / 10 + 4;
}

std::size_t foldable(const std::vector<ItemPtr>& items, std::size_t at) {
  const Item& item = *items[at];
  if (item.role != Role::assistant || item.pinned) return 0;
  const auto calls = calls_in(item);
  if (calls == 0) return 1;
  return at + 1 < items.size() && only_results(*items[at + 1], calls) ? 2 : 0;
}

std::string common_directory(const std::vector<ItemPtr>& items) {
  std::string common;
  std::size_t paths = 0;
  for (const auto& item : items) {
    for (const auto& block : item->blocks) {
      const auto* result = std::get_if<ToolResult>(&block);
      if (!result || !result->subject.starts_with('/') || result->subject.find(' ') != std::string::npos)
        continue;
      const std::string_view subject = result->subject;
      const std::string_view dir = subject.substr(0, subject.rfind('/') + 1);
      if (paths++ == 0) common = dir;
      const auto [a, b] = std::mismatch(common.begin(), common.end(), dir.begin(), dir.end());
      const std::string both(common.begin(), a);
      const std::string shorter = both.substr(0, both.rfind('/') + 1);
      if (shorter.size() > 1) common = shorter;
    }
  }
  return paths > 2 && common.size() > 4 ? common : std::string();
}

std::string fold_text(const FoldInput& input, std::size_t first, std::size_t last, bool explain) {
  Rows rows(input);
  for (std::size_t i = first; i <= last; ++i) rows.add(i);
  std::string text = "[Earlier work: " + std::to_string(last - first + 1) + " messages";
  if (explain) text += ", by subject, with lines quoted from them; recall an id for the original";
  if (explain && !input.directory.empty()) text += ". Paths are under " + input.directory;
  text += "]\n" + rows.text();
  while (text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace tern
