#include "agent/turn/loop_guard.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>
#include <string>

#include "agent/turn/call_run.h"
#include "compression/text/utf8.h"
#include "compression/values/tool_kinds.h"

namespace tern {

namespace {

constexpr std::size_t told_bytes = 160;

std::string first_line(const std::string& text) {
  const auto start = text.find_first_not_of(" \t\r\n");
  if (start == std::string::npos) return {};
  auto line = text.substr(start, text.find('\n', start) - start);
  return line.size() > told_bytes ? line.substr(0, utf8_floor(line, told_bytes)) + " …" : line;
}

// The first line, of a command all it said, without figures and quoted words: they differ from call to call.
std::size_t error_of(const std::string& tool, const std::string& text) {
  std::string plain;
  bool quoted = false;
  for (const char c : runs_commands(tool) ? text : text.substr(0, text.find('\n'))) {
    if (c == '"' || c == '`') quoted = !quoted;
    if (!quoted && !std::isdigit(static_cast<unsigned char>(c))) plain += c;
  }
  return std::hash<std::string>{}(plain);
}

std::string named(const CallRun& run) {
  const auto& tool = run.cell.label.empty() ? run.cell.tool : run.cell.label;
  return tool + " " + first_line(run.cell.subject.empty() ? run.call.arguments : run.cell.subject);
}

std::size_t hash_of(const ToolCall& call) {
  return std::hash<std::string>{}(call.name + '\0' + call.arguments);
}

}  // namespace

const LoopGuard::Seen* LoopGuard::find(const ToolCall& call) const {
  const auto key = hash_of(call);
  const auto seen =
      std::find_if(recent_.begin(), recent_.end(), [key](const Seen& s) { return s.call == key; });
  return seen == recent_.end() ? nullptr : &*seen;
}

int LoopGuard::repeats(const ToolCall& call) const {
  const auto* seen = find(call);
  return seen ? seen->times : 0;
}

std::string LoopGuard::said(const ToolCall& call) const {
  const auto* seen = find(call);
  return seen ? seen->said : std::string();
}

void LoopGuard::saw(const ToolCall& call, const std::string& result) {
  const auto key = hash_of(call), answer = std::hash<std::string>{}(result);
  const auto seen =
      std::find_if(recent_.begin(), recent_.end(), [key](const Seen& s) { return s.call == key; });
  if (seen != recent_.end()) {
    if (seen->times < teach_at) seen->said = first_line(result);  // from then on it is not run
    seen->times = seen->result == answer || seen->times >= teach_at ? seen->times + 1 : 1;
    seen->result = answer;
    return;
  }
  recent_.push_front({key, answer, 1, changes_files(call.name), first_line(result)});
  if (recent_.size() > 32) recent_.pop_back();
}

void LoopGuard::changed_files() {
  std::erase_if(recent_, [](const Seen& seen) { return !seen.writes; });
  failing_.clear();
}

int LoopGuard::same_errors(const std::string& tool, const std::string& text) const {
  const auto found = failing_.find(tool);
  return found != failing_.end() && found->second.error == error_of(tool, text) ? found->second.messages : 0;
}

std::string LoopGuard::stuck(const std::vector<CallRun>& runs) {
  std::set<std::string> counted;  // several that fail alike in one message are one try
  std::string why;
  for (const auto& run : runs) {
    if (const int times = repeats(run.call); times >= end_at && why.empty())
      why = named(run) + " was called " + std::to_string(times) +
            " times with the same result: " + said(run.call);
    const auto& tool = run.cell.tool;
    if (!run.cell.is_error) {
      failing_.erase(tool);
      continue;
    }
    if (!counted.insert(tool).second) continue;
    auto& failing = failing_[tool];
    const auto error = error_of(tool, run.result.text);
    failing.messages = failing.error == error ? failing.messages + 1 : 1;
    failing.error = error;
    if (failing.messages >= end_error_at && why.empty())
      why = tool + " failed " + std::to_string(failing.messages) +
            " times in a row with the same error: " + first_line(run.result.text);
  }
  return why;
}

}  // namespace tern
