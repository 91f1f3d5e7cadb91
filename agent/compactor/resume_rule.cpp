#include "agent/compactor/resume_rule.h"

#include <algorithm>
#include <fstream>
#include <unordered_set>

#include "compression/values/tokens.h"
#include "compression/values/tool_kinds.h"

namespace tern {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 5;
constexpr std::uintmax_t largest_file = 16 * 1024;

bool is_file_tool(const std::string& tool) { return reads_files(tool) || changes_files(tool); }

// Files of results that left or were shortened, the latest first, edited ones before those only read.
std::vector<std::string> files_that_mattered(const Conversation& before, const Conversation& after) {
  std::unordered_set<const Item*> staying;
  std::unordered_set<std::string> shown;
  for (const auto& item : after.items) {
    staying.insert(item.get());
    for (const auto& block : item->blocks)
      if (const auto* result = std::get_if<ToolResult>(&block);
          result && reads_files(result->tool) && result->form == ResultForm::full)
        shown.insert(result->subject);
  }
  std::vector<std::string> edited, read;
  const auto add = [&](std::vector<std::string>& list, const std::string& path) {
    if (std::find(list.begin(), list.end(), path) == list.end()) list.push_back(path);
  };
  for (auto item = before.items.rbegin(); item != before.items.rend(); ++item) {
    for (const auto& block : (*item)->blocks) {
      const auto* result = std::get_if<ToolResult>(&block);
      if (!result || result->is_error || !is_file_tool(result->tool) || result->subject.empty() ||
          shown.count(result->subject))
        continue;
      if (!reads_files(result->tool))
        add(edited, result->subject);
      else if (!staying.count(item->get()))
        add(read, result->subject);
    }
  }
  for (const auto& path : read) add(edited, path);
  return edited;
}

std::string fresh(const fs::path& root, const std::string& subject) {
  std::error_code error;
  const auto path =
      fs::weakly_canonical(fs::path(subject).is_absolute() ? fs::path(subject) : root / subject, error);
  const auto inside = path.lexically_relative(root);
  if (error || inside.empty() || *inside.begin() == "..") return {};
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > largest_file) return {};
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  return text.find('\0') == std::string::npos ? text : std::string();
}

}  // namespace

std::string todo_lines(const std::vector<TodoItem>& todos) {
  std::string text;
  for (const auto& todo : todos) {
    const auto* mark = todo.status == "completed" ? "☒ " : todo.status == "in_progress" ? "◐ " : "☐ ";
    text += mark +
            (todo.status == "in_progress" && !todo.active_form.empty() ? todo.active_form : todo.content) +
            '\n';
  }
  return text;
}

std::string resume_text(const Conversation& before, const Conversation& after, const Budget& budget,
                        const std::vector<TodoItem>& todos, const fs::path& root) {
  std::string text =
      "[tern: the context was compacted in the middle of your task. The summary and the ids above hold what "
      "left. Go on with "
      "the task from where it stands: what is done stays done, do not start again, do not greet or "
      "report.]\n";
  if (!todos.empty()) text += "\nYour todo list:\n" + todo_lines(todos);
  auto room = budget.effective() / 20;  // all files together
  std::size_t files = 0;
  for (const auto& subject : files_that_mattered(before, after)) {
    if (files == most_files) break;
    const auto content = fresh(root, subject);
    const auto cost = estimate(content);
    if (content.empty() || cost > room / 2) continue;
    room -= cost;
    if (files++ == 0) text += "\nFiles you were working on, as they are now:\n";
    text +=
        "\n<file path=\"" + subject + "\">\n" + content + (content.back() == '\n' ? "" : "\n") + "</file>\n";
  }
  return text;
}

}  // namespace tern
