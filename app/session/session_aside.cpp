// /btw: a question over the conversation as it stands, with the same prefix, so that the provider's cache
// serves it. Neither it nor its answer enters the log until the person says so.
#include <nlohmann/json.hpp>

#include "agent/models/redact.h"
#include "agent/turn/reply.h"
#include "app/session/session_commands.h"
#include "compression/values/tokens.h"

namespace tern {
namespace {

using nlohmann::json;

constexpr const char* kept_under = "aside";  // the last one, in the session's state

Item said(Role role, std::string text) {
  Item item;
  item.role = role;
  item.blocks.push_back(Text{std::move(text)});
  return item;
}

Request request_for(const Agent& agent, const std::string& question) {
  auto request = build_request(agent.context, agent.limits);
  request.may_call_tools = false;
  request.json_schema.clear();
  request.conversation.items.push_back(make_item(
      said(Role::user,
           "[An aside, no part of the work: answer from what you know by now, call nothing.] " + question)));
  return request;
}

}  // namespace

void SessionCommands::aside(const Aside& command, std::stop_token stop) {
  if (command.keep) return keep_aside();
  s.agent_->spending.count(s.context_.gauges.dollars());
  if (const auto why = s.agent_->spending.reached(s.agent_->limits.cost); !why.empty())
    return s.emit(Notice{Level::warning, why});
  const auto question = redact(command.question);
  const auto request = request_for(*s.agent_, question);
  const auto begin = s.agent_->now();
  ModelReply reply;
  const std::function<void(Event)> tell = [&](Event event) {
    if (std::holds_alternative<Waiting>(event)) s.emit(std::move(event));
  };
  s.inbox_.attend([&] { reply = ask(*s.provider_, request, tell, stop, [] {}); });
  if (reply.usage_reported) {
    const auto& model = s.context_.model;
    s.context_.gauges.spent(model.dollars(reply.usage), model.priced);
    s.store_->add_usage({.turn = s.agent_->turn,
                         .provider = model.provider,
                         .model = model.name,
                         .purpose = "aside",
                         .input = reply.usage.input,
                         .output = reply.usage.output,
                         .cache_read = reply.usage.cache_read,
                         .cache_write = reply.usage.cache_write,
                         .dollars = model.dollars(reply.usage),
                         .milliseconds = (s.agent_->now() - begin).count()});
    s.agent_->spending.count(s.context_.gauges.dollars());
  }
  const auto text = reply.text();
  if (reply.interrupted) return s.emit(Notice{Level::info, "Interrupted; nothing was kept."});
  if (reply.failed) return s.emit(Notice{Level::error, "No answer: " + reply.failed->message});
  if (text.empty()) return s.emit(Notice{Level::warning, "The model gave no answer."});
  s.store_->set_state(
      kept_under,
      json({{"question", question}, {"answer", text}}).dump(-1, ' ', false, json::error_handler_t::replace));
  s.emit(Page{"btw: " + question, text + "\n\n---\n/btw keep makes it part of the conversation.\n",
              Page::Form::markdown});
}

void SessionCommands::keep_aside() {
  const auto last = json::parse(s.store_->state(kept_under), nullptr, false);
  if (!last.is_object()) return s.emit(Notice{Level::info, "Nothing to keep yet: /btw QUESTION asks first."});
  s.store_->transact([&] {
    append(*s.agent_, said(Role::user, last.value("question", "")));
    append(*s.agent_, said(Role::assistant, last.value("answer", "")));
    s.store_->set_state(kept_under, "");
  });
}

}  // namespace tern
