// Where hooks meet a call: before it is decided, before a question, and after it ran.
#include <algorithm>
#include <utility>

#include "agent/turn/prepared_call.h"
#include "agent/turn/refusal_text.h"
#include "agent/turn/tool_calls.h"
#include "compression/text/plain_text.h"
#include "compression/text/utf8.h"
#include "tools/set/args.h"

namespace tern {
namespace {

using nlohmann::json;

constexpr std::size_t kMostOfAResult = 256 * 1024;

// The rule speaks of this call: as a deny rule it would refuse it.
bool hits(const std::string& text, const Tool& tool, const json& args, const ToolEnvironment& hands) {
  PermissionRule rule;
  std::string error;
  if (!parse_rule(hands.offered, text, PermissionRule::Kind::deny, "a hook", rule, error)) return false;
  PermissionPolicy policy;
  policy.mode = PermissionMode::bypass;
  policy.bypass_by_flag = true;
  policy.rules = {rule};
  return std::holds_alternative<Deny>(decide(policy, {tool, args, hands.workspace}));
}

// Hooks look for a folder in front of a path.
std::string whole_path(const Workspace& workspace, const std::string& path) {
  return (workspace.cwd() / path).lexically_normal().string();
}

// The result in the shape of other agents' tools, as far as ours have it.
json response_of(const CallRun& run, const json& args, const Workspace& workspace) {
  const auto text = run.output.text.substr(0, utf8_floor(run.output.text, kMostOfAResult));
  json response{{"success", !run.output.is_error}, {"content", text}};
  if (run.tool->command) {
    response["stdout"] = text;
    response["stderr"] = "";
    response["interrupted"] = false;
    if (run.output.exit_status) response["exit_code"] = *run.output.exit_status;
  }
  if (run.tool->paths)
    for (const auto& path : run.tool->paths(args))
      if (!path.empty()) response["filePath"] = whole_path(workspace, path);
  return response;
}

json input_of(const Tool& tool, const json& args, const Workspace& workspace) {
  json input = args;
  const auto paths = tool.paths ? tool.paths(args) : std::vector<std::string>();
  for (auto& [name, value] : input.items()) {
    const bool is_path =
        value.is_string() && std::find(paths.begin(), paths.end(), value.get<std::string>()) != paths.end();
    if (!is_path || value.get<std::string>().empty()) continue;
    value = whole_path(workspace, value.get<std::string>());
  }
  return input;
}

// The server of a tool that is one's: mcp__server__tool.
std::string server_of(const std::string& tool) {
  constexpr std::string_view mark = "mcp__";
  if (!tool.starts_with(mark)) return {};
  return tool.substr(mark.size(), tool.find("__", mark.size()) - mark.size());
}

// For people, who read it behind the call: its first line.
std::string first_line(std::string_view reason) {
  reason = trimmed(reason);
  return std::string(trimmed(reason.substr(0, reason.find('\n'))));
}

bool refused_by_hook(CallRun& run, const std::string& how, const HookAnswer& answer, CallsDone& done) {
  const auto reason = answer.reason.empty() ? "the hook " + answer.by + " refused it" : answer.reason;
  refuse(run, how + " by a hook: " + reason, "by the hook " + answer.by + ": " + first_line(reason), done);
  done.denials.back().by_hook = true;
  return false;
}

void add_words(std::string& text, const std::string& words) {
  if (!words.empty()) text += (text.empty() ? "" : "\n\n") + ("[A hook says: " + words + "]");
}

}  // namespace

HookAnswer ToolCalls::ask_hooks(HookEvent event, const Prepared& prepared, const json& more,
                                std::stop_token stop, CallsDone& done) {
  const auto& run = prepared.run;
  json fields{{"tool_name", run.tool->name},
              {"tool_input", input_of(*run.tool, prepared.args, hands_.workspace)},
              {"tool_use_id", run.call.id}};
  if (const auto server = server_of(run.tool->name); !server.empty()) fields["mcp_server"] = server;
  fields.update(more);
  HookCall call{event, run.tool->name, fields.dump(-1, ' ', false, json::error_handler_t::replace)};
  call.rule_hits = [&](const std::string& rule) { return hits(rule, *run.tool, prepared.args, hands_); };
  log_before();
  auto answer = hands_.hooks.ask(call, stop);
  if (answer.ends_turn && !std::exchange(done.hook_ends, true))
    emit_(Notice{Level::warning, "The hook " + answer.by + " ended the turn" +
                                     (answer.stop_reason.empty() ? "." : ": " + answer.stop_reason)});
  return answer;
}

// True: the input is as it was, or as a hook made it.
bool ToolCalls::changed_input(Prepared& prepared, const HookAnswer& answer, CallsDone& done) {
  if (!answer.input) return true;
  auto& run = prepared.run;
  std::string error;
  json args;
  if (!parse_args(*run.tool, *answer.input, args, error)) {
    const std::string why = "a hook changed its input to something " + run.tool->name + " does not take";
    return refuse(run, "Not run: " + why + ". " + error, why, done);
  }
  prepared.args = std::move(args);
  if (run.tool->subject) run.output.subject = run.tool->subject(prepared.args);
  add_words(prepared.told,
            "the input was changed to " + prepared.args.dump(-1, ' ', false, json::error_handler_t::replace));
  return true;
}

bool ToolCalls::before_call(Prepared& prepared, std::stop_token stop, CallsDone& done) {
  if (!hands_.hooks.hear(HookEvent::pre_tool_use)) return true;
  auto answer = ask_hooks(HookEvent::pre_tool_use, prepared, json::object(), stop, done);
  auto& run = prepared.run;
  if (stop.stop_requested()) return refuse(run, std::string(interrupted_call), "interrupted", done);
  if (answer.word == HookWord::deny) return refused_by_hook(run, "Denied", answer, done);
  if (done.hook_ends)
    return refuse(run, "Not run: a hook has ended the turn.", "a hook ended the turn", done);
  add_words(prepared.told, answer.context);
  prepared.hook_word = answer.word;
  prepared.hook_reason = answer.reason;
  prepared.hook_by = answer.by;
  return changed_input(prepared, answer, done);
}

// What hooks answer in the user's place; nothing when they leave it to them. Whether something destructive
// runs is always theirs.
std::optional<bool> ToolCalls::hooks_permit(Prepared& prepared, const Ask& why, std::stop_token stop,
                                            CallsDone& done) {
  if (!hands_.hooks.hear(HookEvent::permission_request)) return std::nullopt;
  const json more{{"permission_reason", why.reason}};
  auto answer = ask_hooks(HookEvent::permission_request, prepared, more, stop, done);
  auto& run = prepared.run;
  if (answer.word == HookWord::deny) {
    done.said_no |= answer.interrupts;
    return refused_by_hook(run, "Permission denied", answer, done);
  }
  if (answer.word != HookWord::allow || why.danger) return std::nullopt;
  if (answer.input) {
    if (!changed_input(prepared, answer, done)) return false;
    const auto decision =
        decide(hands_.policy, {*run.tool, prepared.args, hands_.workspace});  // the new input meets the rules
    const auto* deny = std::get_if<Deny>(&decision);
    if (deny) return refuse(run, "Permission denied: " + deny->reason, deny->reason, done);
    if (const auto* ask = std::get_if<Ask>(&decision); ask && ask->danger) return std::nullopt;
  }
  take_permissions(answer);
  run.granted = true;
  return true;
}

// Rules and a mode for the rest of this session: what a hook may say when it allows a call. Nothing widens
// further than accept edits.
void ToolCalls::take_permissions(const HookAnswer& answer) {
  const auto wrong = [&](const std::string& what) {
    emit_(Notice{Level::warning, "The hook " + answer.by + ": updatedPermissions: " + what});
  };
  for (const auto& text : answer.permissions) {
    const json update = json::parse(text, nullptr, false);
    const auto type = text_arg(update, "type");
    if (type == "setMode") {
      const auto mode = text_arg(update, "mode");
      if (mode == "default") hands_.policy.mode = PermissionMode::ask;
      if (mode == "plan") hands_.policy.mode = PermissionMode::plan;
      if (mode == "acceptEdits") hands_.policy.mode = PermissionMode::accept_edits;
      if (mode != "default" && mode != "plan" && mode != "acceptEdits")
        wrong("a hook cannot set the mode \"" + mode + "\".");
      continue;
    }
    if (type != "addRules") wrong("\"" + type + "\" is not supported; addRules and setMode are.");
    if (type != "addRules") continue;
    const auto behavior = text_arg(update, "behavior");
    if (behavior != "allow" && behavior != "ask" && behavior != "deny") {
      wrong("a rule's behavior is allow, ask or deny, not \"" + behavior + "\".");
      continue;
    }
    const auto kind = behavior == "deny"  ? PermissionRule::Kind::deny
                      : behavior == "ask" ? PermissionRule::Kind::ask
                                          : PermissionRule::Kind::allow;
    for (const auto& one : array_in(update, "rules")) {
      if (!one.is_object()) continue;
      const auto content = text_arg(one, "ruleContent");
      const auto named = text_arg(one, "toolName") + (content.empty() ? "" : "(" + content + ")");
      PermissionRule rule;
      std::string error;
      if (parse_rule(hands_.offered, named, kind, "the hook " + answer.by, rule, error))
        hands_.policy.rules.push_back(rule);
      else
        wrong(error);
    }
  }
}

void ToolCalls::after_call(Prepared& prepared, std::stop_token stop, CallsDone& done) {
  auto& run = prepared.run;
  if (!run.ran) return;
  auto& output = run.output;
  const auto event = output.is_error ? HookEvent::post_tool_use_failure : HookEvent::post_tool_use;
  auto told = std::exchange(prepared.told, {});
  if (hands_.hooks.hear(event)) {
    json more{{"duration_ms", run.cell.milliseconds}};
    if (output.is_error) {
      more["error"] = output.text.substr(0, utf8_floor(output.text, kMostOfAResult));
      more["is_interrupt"] = stop.stop_requested();
    } else {
      more["tool_response"] = response_of(run, prepared.args, hands_.workspace);
    }
    auto answer = ask_hooks(event, prepared, more, stop, done);
    if (answer.output) {
      output.text = std::move(*answer.output);
      output.shown.reset();
      output.spill.clear();
    }
    if (answer.blocked) add_words(told, answer.reason);
    add_words(told, answer.context);
  }
  if (!told.empty()) output.text += (output.text.empty() ? "" : "\n\n") + told;
}

}  // namespace tern
