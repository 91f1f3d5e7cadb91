#include <nlohmann/json.hpp>

#include "tools/files/change.h"
#include "tools/files/tool_changes.h"
#include "tools/set/args.h"

namespace tern {

using nlohmann::json;

namespace {

std::string progress_note(const std::vector<TodoItem>& todos) {
  std::size_t done = 0;
  for (const auto& todo : todos) done += todo.status == "completed";
  return std::to_string(done) + "/" + std::to_string(todos.size()) + " done";
}

ToolOutput run_todo(const json& args, ToolContext& ctx) {
  std::vector<TodoItem> todos;
  std::size_t active = 0;
  for (const auto& one : args.at("todos")) {
    TodoItem item{text_arg(one, "content"), text_arg(one, "status", "pending"), text_arg(one, "activeForm")};
    if (item.content.empty()) return failure("A todo has no content; the list was not changed.");
    if (item.active_form.empty()) item.active_form = item.content;
    active += item.status == "in_progress";
    todos.push_back(std::move(item));
  }
  std::string text =
      "Todos have been modified successfully. Ensure that you continue to use the todo list to track your "
      "progress. "
      "Please proceed with the current tasks if applicable";
  if (active > 1)
    text += ". Note: " + std::to_string(active) + " todos are in_progress; keep to one at a time.";
  std::string note = todos.empty() ? "cleared" : progress_note(todos);
  ctx.changes.todos = std::move(todos);
  return {.text = std::move(text), .note = std::move(note)};
}

std::string nothing(const json&) { return {}; }

}  // namespace

Tool todo_tool() {
  return {
      .name = "TodoWrite",
      .description = "Replaces the todo list; keep it current, one in_progress.",
      .about = "Keeps the todo list.",
      .schema = R"({"type":"object","properties":{"todos":{"type":"array","items":{"type":"object",)"
                R"("properties":{"content":{"type":"string"},)"
                R"("status":{"enum":["pending","in_progress","completed"]},"activeForm":{"type":"string"}},)"
                R"("required":["content","status"]}}},)"
                R"("required":["todos"]})",
      .effects = Effect::context,
      .basic = true,
      .aliases = "items=todos plan=todos tasks=todos text=content task=content step=content state=status",
      .run = run_todo,
      .subject = nothing,
      .label = "Todo",
  };
}

}  // namespace tern
