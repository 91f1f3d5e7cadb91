#include "agent/protocol/event.h"

#include "compression/text/command_result.h"

namespace tern {

std::string_view to_string(PermissionMode mode) {
  switch (mode) {
    case PermissionMode::ask: return "ask";
    case PermissionMode::accept_edits: return "accept-edits";
    case PermissionMode::plan: return "plan";
    case PermissionMode::automatic: return "auto";
    case PermissionMode::bypass: return "bypass";
  }
  return "ask";
}

namespace {
constexpr std::string_view rejected = "rejected", blocked = "blocked";
}  // namespace

std::string rejected_note(const std::string& said) {
  return std::string(rejected) + (said.empty() ? "" : ": " + said);
}

std::string blocked_note(const std::string& reason) { return std::string(blocked) + ": " + reason; }

CallEnd end_of_note(std::string_view note) {
  if (note.starts_with(rejected)) return CallEnd::rejected;
  if (note.starts_with(blocked)) return CallEnd::blocked;
  return note.starts_with(background_note) ? CallEnd::background : CallEnd::ran;
}

std::string retry_text(const Waiting& waiting, std::int64_t left_ms) {
  if (waiting.attempt == 0) return {};
  std::string text = "retrying";
  if (left_ms > 0) text += " in " + std::to_string((left_ms + 999) / 1'000) + "s";
  if (waiting.attempts > 0)
    text += " (" + std::to_string(waiting.attempt) + " of " + std::to_string(waiting.attempts) + ")";
  return text;
}

bool merge_events(Event& newest, Event& incoming) {
  if (auto* last = std::get_if<Delta>(&newest)) {
    auto* more = std::get_if<Delta>(&incoming);
    if (!more || more->kind != last->kind) return false;
    last->text += more->text;
    return true;
  }
  if (auto* last = std::get_if<ToolProgress>(&newest)) {
    auto* more = std::get_if<ToolProgress>(&incoming);
    if (!more || more->call_id != last->call_id) return false;
    constexpr std::size_t kept = 64 * 1024;  // a tail: a slow front end must not make the queue grow
    last->tail += more->tail;
    if (last->tail.size() > 2 * kept) last->tail.erase(0, last->tail.size() - kept);
    return true;
  }
  if (std::holds_alternative<Meters>(newest) && std::holds_alternative<Meters>(incoming)) {
    newest = std::move(incoming);
    return true;
  }
  return false;
}

}  // namespace tern
