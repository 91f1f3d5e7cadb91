#include "app/acp/acp_calls.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "agent/mcp/rpc.h"
#include "app/acp/acp_diff.h"
#include "app/acp/acp_json.h"
#include "compression/text/lines.h"
#include "compression/text/utf8.h"
#include "compression/values/tool_kinds.h"
#include "tools/set/args.h"

namespace tern {
namespace {

using nlohmann::json;

constexpr std::size_t most_arguments = 256 * 1024, most_text = 64 * 1024, most_tail = 8 * 1024,
                      most_title = 200;
constexpr std::chrono::milliseconds pace{
    200};  // of a running call's output: the client gets its last part anew each time

std::string kind_name(std::string_view tool) {
  switch (tool_kind(tool)) {
    case ToolKind::read: return "read";
    case ToolKind::edit: return "edit";
    case ToolKind::run: return "execute";
    case ToolKind::search: return "search";
    case ToolKind::fetch: return "fetch";
    case ToolKind::think: return "think";
    case ToolKind::plan: return "switch_mode";
    case ToolKind::other: break;
  }
  return "other";
}

std::string title_of(const std::string& tool, const std::string& label, const std::string& subject) {
  const auto first = subject.substr(0, subject.find('\n'));
  const auto& name = label.empty() ? tool : label;
  return clipped(first.empty() ? name : name + " " + first, most_title);
}

std::string head_of(const std::string& text) {
  if (text.size() <= most_text) return text;
  return text.substr(0, utf8_floor(text, most_text)) + "\n…";
}

// It was not run; what the model was told of that is not for people.
bool was_refused(const ToolFinished& done) {
  return done.end == CallEnd::rejected || done.end == CallEnd::blocked;
}

json location_list(const std::string& path, std::size_t line) {
  json place;
  place["path"] = path;
  if (line > 0) place["line"] = line;
  json list = json::array();
  list.push_back(std::move(place));
  return list;
}

}  // namespace

AcpCalls::AcpCalls(std::filesystem::path cwd, std::function<void(const json&)> send, Clock now)
    : cwd_(std::move(cwd)), send_(std::move(send)), now_(std::move(now)) {}

AcpCalls::Call& AcpCalls::known(const std::string& id, const std::string& tool, const std::string& label,
                                const std::string& subject) {
  auto& call = calls_[id];
  call.kind = kind_name(tool);
  call.title = title_of(tool, label, subject);
  return call;
}

json AcpCalls::message(const std::string& id, const Call& call, bool whole, const char* status) const {
  auto update = acp_update(whole ? "tool_call" : "tool_call_update");
  update["toolCallId"] = id;
  update["title"] = call.title;
  update["kind"] = call.kind;
  update["status"] = status;
  if (!call.path.empty()) update["locations"] = location_list(call.path, call.line);
  return update;
}

// The file it is about, for clients that follow along, and the arguments as they are.
void AcpCalls::look_at_arguments(Call& call, const std::string& arguments, json& update) const {
  if (arguments.size() > most_arguments || nests_too_deep(arguments)) return;
  auto input = json::parse(arguments, nullptr, false);
  if (!input.is_object()) return;
  for (const char* key : {"file_path", "notebook_path", "path"}) {
    const auto path = member_text(input, key);
    if (path.empty()) continue;
    call.path = (cwd_ / path).lexically_normal().string();
    call.line =
        static_cast<std::size_t>(std::max<std::int64_t>(0, whole_number(input.value("offset", json()), 0)));
    update["locations"] = location_list(call.path, call.line);
    break;
  }
  update["rawInput"] = std::move(input);
}

void AcpCalls::announced(const ToolCall& announced) {
  if (calls_.contains(announced.id)) return;
  auto& call = known(announced.id, announced.name, {}, {});
  auto update = message(announced.id, call, true, "pending");
  look_at_arguments(call, announced.arguments, update);
  send_(update);
}

void AcpCalls::started(const ToolStarted& started) {
  const bool whole = !calls_.contains(started.call_id);
  auto& call = known(started.call_id, started.tool, started.label, started.subject);
  auto update = message(started.call_id, call, whole, "in_progress");
  look_at_arguments(call, started.arguments, update);
  if (!whole) update.erase("rawInput");  // as it was announced
  send_(update);
}

void AcpCalls::progressed(const ToolProgress& progress) {
  const auto found = calls_.find(progress.call_id);
  if (found == calls_.end()) return;
  auto& call = found->second;
  call.tail += progress.tail;
  if (call.tail.size() > most_tail) call.tail.erase(0, utf8_floor(call.tail, call.tail.size() - most_tail));
  const auto now = now_();
  if (now - call.shown < pace) return;
  call.shown = now;
  auto update = acp_update("tool_call_update");
  update["toolCallId"] = progress.call_id;
  update["content"].push_back(acp_part(fenced(call.tail)));
  send_(update);
}

void AcpCalls::finished(const ToolFinished& done) {
  const bool whole = !calls_.contains(done.call_id);
  auto& call = known(done.call_id, done.tool, done.label, done.subject);
  if (const auto line = first_changed_line(done.diff); line > 0) call.line = line;
  auto update = message(done.call_id, call, whole, done.is_error ? "failed" : "completed");
  if (was_refused(done)) {
    update["content"].push_back(acp_part(done.note));
    send_(update);
    return void(calls_.erase(done.call_id));
  }
  auto content = acp_diffs(done.diff, call.path.empty() ? (cwd_ / done.subject).string() : call.path);
  if (content.empty() && !done.diff.empty()) content.push_back(acp_part(done.diff));  // a plan
  if (content.empty() && !done.text.empty()) content.push_back(acp_part(fenced(head_of(done.text))));
  update["content"] = std::move(content);
  if (done.exit_status) update["rawOutput"]["exitCode"] = *done.exit_status;
  if (!done.note.empty()) update["rawOutput"]["note"] = done.note;
  send_(update);
  calls_.erase(done.call_id);
}

json AcpCalls::question(const PermissionAsked& asked) {
  const auto found = calls_.find(asked.call_id);
  Call call = found == calls_.end() ? Call{} : found->second;
  call.kind = kind_name(asked.tool);
  call.title = clipped(asked.title.substr(0, asked.title.find('\n')), most_title);
  auto question = message(asked.call_id, call, false, "pending");
  question.erase("sessionUpdate");
  auto content = acp_diffs(asked.diff, call.path);
  if (content.empty()) content.push_back(acp_part(fenced(head_of(asked.body))));
  if (!asked.reason.empty())
    content.push_back(acp_part((asked.danger ? "**Careful:** " : "") + asked.reason));
  question["content"] = std::move(content);
  return question;
}

}  // namespace tern
