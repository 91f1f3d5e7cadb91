#include "compression/reading/importance.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "compression/reading/survey.h"
#include "compression/text/names.h"
#include "compression/text/plain_text.h"
#include "compression/values/blocks.h"
#include "compression/values/tool_kinds.h"

namespace tern {

namespace {

constexpr int for_user = 30, for_errors = 50, for_code = 20, for_recency = 30, for_reference = 40;
constexpr double neutral = 0.3;
constexpr std::size_t short_text = 20, rich_text = 500, error_bytes = 4'000;

constexpr std::array<std::string_view, 24> keywords = {
    "important", "critical", "must",        "remember",   "decision", "decided", "because", "error",
    "bug",       "fix",      "requirement", "constraint", "todo",     "never",   "always",  "重要",
    "关键",      "必须",     "记住",        "错误",       "修复",     "决定",    "需求",    "不要"};

bool from_user(const Item& item) { return is_human(item); }

bool has_error(const Item& item) {
  return std::any_of(item.blocks.begin(), item.blocks.end(), [](const Block& block) {
    if (const auto* result = std::get_if<ToolResult>(&block))
      return result->is_error || reports_error(std::string_view(result->text).substr(0, error_bytes));
    return false;
  });
}

bool has_code(const Item& item) {
  return std::any_of(item.blocks.begin(), item.blocks.end(), [](const Block& block) {
    if (std::holds_alternative<ToolCall>(block)) return true;
    const auto* text = std::get_if<Text>(&block);
    return text && (text->text.find("```") != std::string::npos || text->text.starts_with("$ ") ||
                    text->text.find("\n$ ") != std::string::npos);
  });
}

std::string spoken(const Item& item) {
  std::string out;
  for (const auto* text : blocks_of<Text>(item)) out += text->text + "\n";
  return out;
}

bool has_keyword(const Item& item) {
  const auto text = lowered(spoken(item));
  return std::any_of(keywords.begin(), keywords.end(),
                     [&](std::string_view word) { return text.find(word) != text.npos; });
}

std::size_t text_size(const Item& item) {
  std::size_t size = 0;
  for (const auto& block : item.blocks) {
    if (const auto* text = std::get_if<Text>(&block)) size += text->text.size();
    if (const auto* result = std::get_if<ToolResult>(&block)) size += result->text.size();
    if (const auto* call = std::get_if<ToolCall>(&block)) size += call->arguments.size();
  }
  return size;
}

class Score {
 public:
  void add(bool holds, double points, std::string_view why) {
    if (!holds) return;
    result_.score += points;
    auto number = std::to_string(points);
    number.erase(points == static_cast<int>(points) ? number.find('.') : number.find('.') + 2);
    result_.reasons.push_back(std::string(why) + (points > 0 ? " +" : " ") + number);
  }
  Importance result() && { return std::move(result_); }

 private:
  Importance result_;
};

// "```" fences of a text: bytes inside them.
std::size_t fenced(std::string_view text) {
  std::size_t sum = 0;
  for (auto open = text.find("```"); open != text.npos;) {
    const auto close = text.find("```", open + 3);
    if (close == text.npos) return sum + text.size() - open;
    sum += close - open;
    open = text.find("```", close + 3);
  }
  return sum;
}

std::string argument(std::string_view arguments, std::string_view key) {
  const auto quoted = "\"" + std::string(key) + "\"";
  auto at = arguments.find(quoted);
  if (at == arguments.npos) return {};
  at = arguments.find('"', at + quoted.size());
  if (at == arguments.npos) return {};
  std::string value;
  for (++at; at < arguments.size() && arguments[at] != '"'; ++at) {
    if (arguments[at] == '\\' && at + 1 < arguments.size()) ++at;
    value += arguments[at];
  }
  return value;
}

}  // namespace

Importance importance_points(const Item& item, TimePoint now, bool referenced_later) {
  Score score;
  score.add(from_user(item), for_user, "user");
  score.add(has_error(item), for_errors, "errors");
  score.add(has_code(item), for_code, "code");
  const auto minutes =
      std::max<long long>(0, std::chrono::floor<std::chrono::minutes>(now - item.when).count());
  const auto fresh = static_cast<double>(std::max<long long>(0, for_recency - minutes));
  score.add(fresh > 0, fresh, "recent");
  score.add(referenced_later, for_reference, "named again later");
  return std::move(score).result();
}

Importance importance(const Item& item) {
  Score score;
  const auto size = text_size(item);
  score.add(true, neutral, "base");
  score.add(from_user(item), 0.2, "user");
  score.add(has_keyword(item), 0.2, "keywords");
  score.add(has_code(item), 0.1, "code");
  score.add(has<ToolResult>(item), -0.2, "tool result");
  score.add(size < short_text, -0.1, "short");
  score.add(size >= rich_text, 0.1, "rich");
  auto result = std::move(score).result();
  result.score = std::clamp(result.score, 0.0, 1.0);
  return result;
}

std::vector<bool> referenced_later(const Survey& s, std::size_t items) {
  std::vector<std::uint32_t> last_written(s.uses.size(), 0);
  for (const auto& part : s.parts) {
    if (part.kind != PartKind::said && part.kind != PartKind::call) continue;
    for (auto l = part.first; l < part.last; ++l) {
      for (auto n = s.lines[l].first; n < s.lines[l].last; ++n)
        last_written[s.names[n]] = std::max(last_written[s.names[n]], part.item);
    }
  }
  std::vector<bool> result(items, false);
  std::vector<bool> met(s.uses.size(), false);
  for (const auto& line : s.lines) {
    const auto item = s.parts[line.part].item;
    for (auto n = line.first; n < line.last; ++n) {
      if (!met[s.names[n]] && last_written[s.names[n]] > item) result[item] = true;
      met[s.names[n]] = true;
    }
  }
  return result;
}

std::string_view to_string(Critical critical) {
  switch (critical) {
    case Critical::file_change: return "file change";
    case Critical::system_change: return "system change";
    case Critical::failure: return "failure";
  }
  return {};
}

bool changes_system(std::string_view command) {
  static constexpr std::array<std::string_view, 24> commands = {
      "npm install",   "npm i ",      "yarn add",     "pnpm add",    "pip install", "pip3 install",
      "apt-get",       "apt install", "brew install", "git clone",   "git commit",  "git push",
      "git merge",     "git rebase",  "git checkout", "git reset",   "docker",      "systemctl",
      "cargo install", "go install",  "dnf install",  "yum install", "kubectl",     "terraform apply"};
  return std::any_of(commands.begin(), commands.end(),
                     [&](std::string_view c) { return command.find(c) != command.npos; });
}

std::optional<Critical> critical(const ToolCall& call, const ToolResult* result) {
  if (result && result->is_error) return Critical::failure;
  if (changes_files(call.name)) return Critical::file_change;
  auto command = argument(call.arguments, "command");
  if (command.empty()) command = argument(call.arguments, "cmd");
  if (runs_commands(call.name) && changes_system(command)) return Critical::system_change;
  return std::nullopt;
}

Mix mix_of(const Conversation& conversation) {
  std::size_t code = 0, chat = 0, results = 0, failed = 0;
  for (const auto& item : conversation.items) {
    if (item->role == Role::system) continue;
    for (const auto& block : item->blocks) {
      if (const auto* text = std::get_if<Text>(&block)) {
        const auto inside = fenced(text->text);
        code += inside;
        chat += text->text.size() - inside;
      } else if (const auto* call = std::get_if<ToolCall>(&block)) {
        code += call->arguments.size();
      } else if (const auto* result = std::get_if<ToolResult>(&block)) {
        code += result->text.size();
        ++results;
        failed += result->is_error;
      }
    }
  }
  const auto all = static_cast<double>(std::max<std::size_t>(1, code + chat));
  return {static_cast<double>(code) / all, static_cast<double>(chat) / all,
          results ? static_cast<double>(failed) / static_cast<double>(results) : 0};
}

double adaptive_ratio(const Mix& mix, double base) {
  double ratio = base;
  if (mix.code > 0.5) ratio = std::min(0.7, ratio + 0.2);
  if (mix.chat > 0.7) ratio = std::max(0.3, ratio - 0.2);
  if (mix.errors > 0.1) ratio = std::min(0.6, ratio + 0.1);
  return ratio;
}

}  // namespace tern
