#include "app/headless/headless_json.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "agent/models/json_schema.h"
#include "agent/models/providers.h"
#include "tools/set/args.h"

namespace tern {
namespace {

using nlohmann::json;

std::string dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

json parsed(const std::string& arguments) {
  if (nests_too_deep(arguments)) return json(arguments);
  auto value = json::parse(arguments.empty() ? "{}" : arguments, nullptr, false);
  return value.is_discarded() ? json(arguments) : value;
}

// Whatever stands in a line that somebody else wrote: a text, or nothing.
std::string text_of(const json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

json content_of(const Item& item) {
  json content = json::array();
  for (const auto& block : item.blocks)
    std::visit(overloaded{[&](const Text& b) {
                            content.push_back({{"type", "text"}, {"text", b.text}});
                          },
                          [&](const Thinking& b) {
                            content.push_back({{"type", "thinking"}, {"thinking", b.text}});
                          },
                          [&](const ToolCall& b) {
                            content.push_back({{"type", "tool_use"},
                                               {"id", b.id},
                                               {"name", b.name},
                                               {"input", parsed(b.arguments)}});
                          },
                          [&](const ToolResult& b) {
                            content.push_back({{"type", "tool_result"},
                                               {"tool_use_id", b.call_id},
                                               {"content", b.text},
                                               {"is_error", b.is_error}});
                          },
                          [&](const Summary& b) {
                            content.push_back({{"type", "text"}, {"text", b.text}});
                          },
                          [](const auto&) {}},
               block);
  return content;
}

const char* phase_name(CompactionPhase phase) {
  switch (phase) {
    case CompactionPhase::needed: return "needed";
    case CompactionPhase::drafting: return "drafting";
    case CompactionPhase::draft_ready: return "draft_ready";
    case CompactionPhase::started: return "started";
    case CompactionPhase::progress: return "progress";
    case CompactionPhase::completed: return "completed";
    case CompactionPhase::failed: return "failed";
    case CompactionPhase::undone: return "undone";
    case CompactionPhase::redone: return "redone";
  }
  return "progress";
}

json usage_json(const UsageTotal& total) {
  return {{"input_tokens", total.input},
          {"output_tokens", total.output},
          {"cache_read_input_tokens", total.cache_read},
          {"cache_creation_input_tokens", total.cache_write}};
}

// What each model was asked since then, and what they come to together: the parts sum to the whole.
std::vector<ModelUsage> since(const std::vector<ModelUsage>& before, std::vector<ModelUsage> now,
                              UsageTotal& sum) {
  for (auto& one : now) {
    for (const auto& old : before) {
      if (old.provider != one.provider || old.model != one.model) continue;
      one.total.requests -= old.total.requests;
      one.total.input -= old.total.input, one.total.output -= old.total.output;
      one.total.cache_read -= old.total.cache_read, one.total.cache_write -= old.total.cache_write;
      one.total.dollars -= old.total.dollars;
    }
    sum.input += one.total.input, sum.output += one.total.output;
    sum.cache_read += one.total.cache_read, sum.cache_write += one.total.cache_write;
    sum.dollars += one.total.dollars;
  }
  std::erase_if(now, [](const ModelUsage& one) { return one.total.requests == 0; });
  return now;
}

json model_usage_json(const std::vector<ModelUsage>& models, const Session& session) {
  const auto& current = session.context().model;
  json all = json::object();
  for (const auto& [provider, model, total] : models) {
    const bool is_current = provider == current.provider && model == current.name;
    all[all.contains(model) ? provider + "/" + model : model] = {
        {"inputTokens", total.input},
        {"outputTokens", total.output},
        {"cacheReadInputTokens", total.cache_read},
        {"cacheCreationInputTokens", total.cache_write},
        {"costUSD", total.dollars},
        {"contextWindow",
         is_current ? session.context().window() : session.models().find(provider, model).window}};
  }
  return all;
}

const char* subtype(const TurnEnded& ended) {
  if (ended.how == TurnEnded::How::done) return "success";
  if (ended.how != TurnEnded::How::limit) return "error_during_execution";
  return ended.by_cost ? "error_max_budget_usd" : "error_max_turns";
}

json message_line(const Item& item, const Session& session) {
  const bool assistant = item.role == Role::assistant;
  json message{{"role", assistant ? "assistant" : "user"}, {"content", content_of(item)}};
  if (assistant) {
    message["type"] = "message";
    message["id"] = "msg_" + std::to_string(item.id.value);
    message["model"] = session.context().model.name;
  }
  json line{{"type", assistant ? "assistant" : "user"},
            {"message", message},
            {"session_id", session.id()},
            {"parent_tool_use_id", nullptr}};
  if (item.synthetic) line["isSynthetic"] = true;
  return line;
}

const char* trigger_name(Cause cause) {
  return cause == Cause::asked ? "manual" : cause == Cause::overflow ? "overflow" : "auto";
}

json compaction_line(const Compaction& e, const Session& session) {
  json line{{"type", "system"},
            {"subtype", e.phase == CompactionPhase::completed ? "compact_boundary" : "compaction"},
            {"phase", phase_name(e.phase)},
            {"session_id", session.id()},
            {"tier", to_string(e.tier)}};
  if (!e.strategy.empty()) line["strategy"] = e.strategy;
  if (!e.why.empty()) line["why"] = e.why;
  if (e.phase == CompactionPhase::completed)
    line["compact_metadata"] = {{"trigger", trigger_name(e.cause)},
                                {"pre_tokens", e.before},
                                {"post_tokens", e.after},
                                {"batch", e.batch},
                                {"items", e.items},
                                {"originals", e.originals},
                                {"audit", e.audit},
                                {"cost", e.cost},
                                {"pause_ms", e.pause_ms}};
  return line;
}

// The variable of the environment that holds the key, by its name; "none" when it comes from elsewhere or
// there is none.
std::string key_source(const std::string& provider) {
  const ProviderKind* kind = find_provider(provider);
  std::istringstream names(kind ? std::string(kind->key_variables) : "");
  const auto set = environment();
  for (std::string name; names >> name;)
    if (!set(name).empty()) return name;
  return "none";
}

}  // namespace

std::string init_line(const Session& session) {
  return dump({{"type", "system"},
               {"subtype", "init"},
               {"cwd", session.cwd()},
               {"session_id", session.id()},
               {"tools", session.tool_names()},
               {"mcp_servers", json::array()},
               {"model", session.context().model.name},
               {"permissionMode", to_string(session.mode())},
               {"slash_commands", json::array()},
               {"apiKeySource", key_source(session.context().model.provider)},
               {"contextWindow", session.context().window()}});
}

std::string stream_line(const Event& event, const Session& session, bool partial) {
  if (const auto* added = std::get_if<ItemAdded>(&event); added && !added->replayed) {
    const auto& item = *added->item;
    const bool typed =
        item.role == Role::user && !item.synthetic && std::holds_alternative<Text>(item.blocks.back());
    return typed ? std::string() : dump(message_line(item, session));
  }
  if (const auto* compaction = std::get_if<Compaction>(&event))
    return dump(compaction_line(*compaction, session));
  if (const auto* waiting = std::get_if<Waiting>(&event); waiting && !waiting->text.empty())
    return dump({{"type", "system"},
                 {"subtype", "waiting"},
                 {"text", waiting->text},
                 {"attempt", waiting->attempt},  // above 0: the partial messages so far are void
                 {"attempts", waiting->attempts},
                 {"session_id", session.id()}});
  if (const auto* delta = std::get_if<Delta>(&event); delta && partial) {
    const bool text = delta->kind == DeltaKind::text;
    return dump({{"type", "stream_event"},
                 {"session_id", session.id()},
                 {"event",
                  {{"type", "content_block_delta"},
                   {"delta", text ? json{{"type", "text_delta"}, {"text", delta->text}}
                                  : json{{"type", "thinking_delta"}, {"thinking", delta->text}}}}}});
  }
  return {};
}

std::string input_error_line(const std::string& why, const Session& session) {
  return dump({{"type", "error"},
               {"error", {{"type", "invalid_input"}, {"message", why}}},
               {"session_id", session.id()}});
}

std::string result_line(Session& session, const TurnEnded& ended, const std::string& text,
                        const RunTotals& run) {
  UsageTotal total;
  const auto models = since(run.before, session.store().usage_by_model(), total);
  json denials = json::array();
  for (const auto& denial : session.agent().denials)
    denials.push_back({{"tool_name", denial.tool},
                       {"tool_use_id", denial.call_id},
                       {"tool_input", parsed(denial.arguments)},
                       {"reason", denial.reason}});
  const bool good = ended.how == TurnEnded::How::done;
  json line{{"type", "result"},
            {"subtype", subtype(ended)},
            {"is_error", !good},
            {"duration_ms", run.milliseconds},
            {"num_turns", run.requests},
            {"result", good                  ? text
                       : ended.error.empty() ? text
                                             : ended.error},
            {"session_id", session.id()},
            {"total_cost_usd", total.dollars},
            {"usage", usage_json(total)},
            {"permission_denials", denials},
            {"exit_code", ended.exit_code}};
  line["modelUsage"] = model_usage_json(models, session);
  if (!good && !ended.error.empty() && !text.empty()) line["partial_result"] = text;
  if (good && !session.agent().limits.json_schema.empty()) {
    if (const auto value = json_of_answer(text)) line["structured_output"] = json::parse(*value);
  }
  return dump(line);
}

std::string failure_line(const std::string& why, int exit_code) {
  return dump({{"type", "result"},
               {"subtype", "error_during_execution"},
               {"is_error", true},
               {"duration_ms", 0},
               {"num_turns", 0},
               {"result", why},
               {"session_id", ""},
               {"total_cost_usd", 0},
               {"usage", usage_json({})},
               {"modelUsage", json::object()},
               {"permission_denials", json::array()},
               {"exit_code", exit_code}});
}

InputLine parse_input_line(const std::string& line) {
  const auto value = nests_too_deep(line) ? json() : json::parse(line, nullptr, false);
  if (!value.is_object()) return {{}, "a line of input is not a JSON object: " + line.substr(0, 80), false};
  const auto type = text_of(value, "type");
  if (type == "control_request" && value.contains("request") &&
      text_of(value["request"], "subtype") == "interrupt")
    return {{}, {}, true};
  const auto& holder = value.contains("message") ? value["message"] : value;
  InputLine input;
  if (holder.is_string()) input.text = holder.get<std::string>();
  const auto content = holder.is_object() ? holder.value("content", json()) : json();
  if (content.is_string()) input.text = content.get<std::string>();
  if (content.is_array())
    for (const auto& block : content)
      if (text_of(block, "type") == "text") input.text += text_of(block, "text");
  if (type != "user" || input.text.empty())
    input = {{}, "a line of input is not a user message with text: " + line.substr(0, 80), false};
  return input;
}

}  // namespace tern
