#include "agent/hooks/hook_outcome.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compression/text/plain_text.h"
#include "tools/set/args.h"

namespace tern {
namespace {

using nlohmann::json;

constexpr std::size_t kShown = 80;

std::string text_in(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// A string as it is, anything else as JSON text.
std::string any_text(const json& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<std::string> ids_in(const json& object, const char* key) {
  std::vector<std::string> ids;
  for (const auto& one : array_in(object, key))
    if (one.is_string() || one.is_number_unsigned()) ids.push_back(any_text(one));
  return ids;
}

HookWord word_of(const std::string& text) {
  if (text == "allow" || text == "approve") return HookWord::allow;
  if (text == "deny") return HookWord::deny;
  return text == "ask" ? HookWord::ask : HookWord::none;
}

bool plain_is_context(HookEvent event) {
  return event == HookEvent::user_prompt_submit || event == HookEvent::session_start;
}

// permission_request answers with an object where the others have words.
void read_decision(const json& specific, HookAnswer& answer) {
  const json& decision = object_in(specific, "decision");
  answer.word = word_of(text_in(decision, "behavior"));
  answer.reason = text_in(decision, "message");
  answer.interrupts = answer.word == HookWord::deny && decision.value("interrupt", json()) == true;
  if (const auto input = decision.find("updatedInput"); input != decision.end() && input->is_object())
    answer.input = any_text(*input);
  for (const auto& one : array_in(decision, "updatedPermissions"))
    if (one.is_object() && answer.word == HookWord::allow) answer.permissions.push_back(any_text(one));
}

void read_specific(const HookEntry& entry, const json& specific, HookAnswer& answer) {
  answer.context = text_in(specific, "additionalContext");
  answer.title = text_in(specific, "sessionTitle");
  switch (entry.event) {
    case HookEvent::pre_tool_use: {
      const auto word = word_of(text_in(specific, "permissionDecision"));
      if (word != HookWord::none) answer.word = word;
      const auto reason = text_in(specific, "permissionDecisionReason");
      if (!reason.empty()) answer.reason = reason;
      const auto input = specific.find("updatedInput");
      if (input != specific.end() && input->is_object()) answer.input = any_text(*input);
      break;
    }
    case HookEvent::permission_request: read_decision(specific, answer); break;
    case HookEvent::post_tool_use:
      if (const auto output = specific.find("updatedToolOutput");
          output != specific.end() && !output->is_null())
        answer.output = any_text(*output);
      break;
    case HookEvent::pre_compact:
      answer.instructions = text_in(specific, "instructions");
      answer.pin = ids_in(specific, "pin");
      answer.drop = ids_in(specific, "drop");
      break;
    default: break;
  }
}

// False: the text is no answer.
bool read_json(const HookEntry& entry, std::string_view text, HookSaid& said) {
  const json whole = nests_too_deep(text) ? json() : json::parse(text, nullptr, false);
  if (!whole.is_object()) return false;
  auto& answer = said.answer;
  said.message = text_in(whole, "systemMessage");
  answer.ends_turn = whole.value("continue", json()) == false;
  answer.stop_reason = text_in(whole, "stopReason");
  answer.reason = text_in(whole, "reason");
  const auto decision = text_in(whole, "decision");
  answer.blocked = decision == "block";
  if (entry.event == HookEvent::pre_tool_use)
    answer.word = answer.blocked ? HookWord::deny : word_of(decision);
  const json& specific = object_in(whole, "hookSpecificOutput");
  const auto named = text_in(specific, "hookEventName");
  if (!named.empty() && named != to_string(entry.event))
    said.failure = "its answer is for " + named + ", not for " + std::string(to_string(entry.event));
  else
    read_specific(entry, specific, answer);
  return true;
}

// Some hooks say first that they go on by themselves, and what they have to say after it.
std::string_view behind_async(std::string_view text) {
  const auto end = std::min(text.find('\n'), text.size());
  const json first = json::parse(text.substr(0, end), nullptr, false);
  const bool goes_on = first.is_object() && first.value("async", json()) == true;
  return goes_on ? trimmed(text.substr(end)) : text;
}

void block(const HookEntry& entry, HookAnswer& answer, std::string_view why) {
  const bool decides = entry.event == HookEvent::pre_tool_use || entry.event == HookEvent::permission_request;
  answer.blocked = true;
  if (decides) answer.word = HookWord::deny;
  if (answer.reason.empty()) answer.reason = trimmed(why);
}

// In one line of a list.
std::string brief(std::string_view text) {
  std::string line(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return shorten(line, kShown);
}

std::string shown_of(const HookAnswer& answer) {
  static constexpr const char* words[] = {"", "allow", "ask", "deny"};
  std::string text = words[static_cast<int>(answer.word)];
  if (text.empty() && answer.blocked) text = "block";
  if (answer.ends_turn) text += text.empty() ? "stop" : ", stop";
  const auto add = [&](bool there, const char* what) {
    if (there) text += (text.empty() ? "" : ", ") + std::string(what);
  };
  add(answer.input.has_value(), "changed input");
  add(answer.output.has_value(), "changed output");
  add(!answer.context.empty(), "context");
  add(!answer.permissions.empty(), "permissions");
  add(!answer.pin.empty(), "pin");
  add(!answer.drop.empty(), "drop");
  add(!answer.instructions.empty(), "instructions");
  const auto& why = answer.reason.empty() ? answer.stop_reason : answer.reason;
  if (!why.empty()) text += (text.empty() ? "" : ": ") + brief(why);
  return text.empty() ? "nothing to say" : text;
}

// How it failed, in words that follow the hook's name.
std::string failure_of(const HookOutcome& outcome) {
  if (!outcome.error.empty()) return outcome.error;
  const auto said =
      trimmed(outcome.err.empty() ? std::string_view(outcome.out) : std::string_view(outcome.err));
  std::string text = "exit code " + std::to_string(outcome.status);
  if (!said.empty()) text += ": " + shorten(said, 300);
  return text;
}

}  // namespace

bool can_block(HookEvent event) {
  return event != HookEvent::session_start && event != HookEvent::session_end &&
         event != HookEvent::notification && event != HookEvent::post_compact;
}

HookSaid said_by(const HookEntry& entry, const HookOutcome& outcome) {
  HookSaid said;
  auto& answer = said.answer;
  if (outcome.stopped) {
    said.shown = "interrupted";
    return said;
  }
  const auto out = behind_async(trimmed(outcome.out));
  const bool ran = outcome.error.empty() && (outcome.status == 0 || outcome.status == 2);
  if (!ran) {
    said.failure = failure_of(outcome);
    said.shown = "failed: " + brief(said.failure);
    if (entry.blocks_on_failure && can_block(entry.event))
      block(entry, answer, "The hook failed: " + said.failure);
    return said;
  }
  const bool is_json = out.starts_with('{');
  if (is_json && !read_json(entry, out, said))
    said.failure = "its output begins with { and is not a JSON object";
  if (outcome.status == 2 && can_block(entry.event)) block(entry, answer, outcome.err);
  if (outcome.status == 2 && !can_block(entry.event)) said.failure = failure_of(outcome);
  if (!is_json && outcome.status == 0 && plain_is_context(entry.event)) answer.context = out;
  if (!is_json && outcome.status == 0 && entry.event == HookEvent::pre_compact) answer.instructions = out;
  said.shown = shown_of(answer);
  return said;
}

}  // namespace tern
