#include "agent/turn/turn.h"

#include <algorithm>

#include "agent/compactor/resume_rule.h"
#include "agent/models/json_schema.h"
#include "agent/models/redact.h"
#include "agent/turn/context_tools.h"
#include "agent/turn/prompt_pictures.h"
#include "agent/turn/refusal_text.h"
#include "agent/turn/reply.h"
#include "agent/turn/turn_hooks.h"
#include "compression/values/check.h"
#include "tools/files/journal.h"

namespace tern {
namespace {

using How = TurnEnded::How;

constexpr std::string_view too_long =
    "[Your answer reached the output limit. Go on exactly where it stops; make any tool call smaller.]";
constexpr std::string_view torn = "[The connection broke here. Go on exactly where your answer stops.]";
constexpr int continuations = 3;  // answers cut by the output limit or the network that are taken up again

// What has happened in this turn so far.
struct Progress {
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  int requests = 0, cuts = 0, overflows = 0, corrections = 0, silences = 0;
  std::vector<UsageRow> usage;  // of the last request, logged together with its answer
  StopHooks hooks;
};

TurnEnded ended(How how, int exit_code, std::string error = {}) {
  return {how, std::move(error), exit_code, 0};
}

Item user_item(std::string text, bool synthetic = false) {
  Item item;
  item.role = Role::user;
  item.synthetic = synthetic;
  item.blocks.push_back(Text{std::move(text)});
  return item;
}

Block attached(const std::string& media_type, std::string bytes) {
  if (media_type.starts_with("image/")) return Image{media_type, std::move(bytes)};
  return Document{media_type, std::move(bytes)};
}

// A key of ours that a person types is not for the store, nor for the model.
void take_input(Agent& agent, Submit input) {
  input.text = redact(std::move(input.text));
  Item item;
  item.role = Role::user;
  for (auto& file : input.attachments)
    item.blocks.push_back(attached(file.media_type, std::move(file.bytes)));
  if (!input.text.empty()) item.blocks.push_back(Text{std::move(input.text)});
  if (!item.blocks.empty()) agent.hands.journal.begin_turn(append(agent, std::move(item))->id.value);
}

void take_steering(Agent& agent, std::stop_token stop) {
  for (auto& input : agent.inbox.take_steering()) {
    if (const auto refused = prompt_refused(agent, input, stop); !refused.empty()) {
      agent.emit(Notice{Level::warning, refused});
      continue;
    }
    ++agent.turn;  // a prompt is a turn, also one that is said while another runs
    fit_pictures(agent, input, stop);
    take_input(agent, std::move(input));
  }
  for (auto& note : agent.hands.notes.drain()) append(agent, user_item(std::move(note), true));
}

// A limit in dollars is checked where prices are known. A server on this machine has none: that is said once.
std::optional<TurnEnded> over_cost(Agent& agent) {
  const auto& model = agent.context.model;
  agent.spending.count(agent.context.gauges.dollars());
  if (!agent.limits.cost.any()) return std::nullopt;
  const auto name = model.provider + "/" + model.name;
  if (!model.priced)
    return ended(How::failed, 2,
                 "The limit on dollars can't be checked: the price of " + name +
                     " is not known. Give its prices under \"models\" in the configuration, or take the "
                     "limit away (--max-cost, "
                     "/cost limit off).");
  if (costs_nothing(model) && !std::exchange(agent.unpriced_shown, true))
    agent.emit(
        Notice{Level::info, name + " has no price: it counts as $0, so a limit in dollars never stops it."});
  auto why = agent.spending.reached(agent.limits.cost);
  if (why.empty()) return std::nullopt;
  auto end = ended(How::limit, 5, std::move(why));
  end.by_cost = true;
  return end;
}

std::optional<TurnEnded> over_limit(Agent& agent, const Progress& progress) {
  const auto& limits = agent.limits;
  if (limits.max_requests > 0 && progress.requests >= limits.max_requests)
    return ended(How::limit, 5,
                 "Stopped after " + counted(limits.max_requests, "request") + " (--max-turns).");
  const bool full = agent.hands.most_growth < 0 || agent.context.gauges.grown() >= limits.max_growth;
  if (limits.max_growth > 0 && full)
    return ended(How::limit, 5, "Stopped after " + thousands(agent.context.gauges.grown()) + " tokens.");
  return over_cost(agent);
}

std::optional<TurnEnded> make_room(Agent& agent, std::stop_token stop) {
  const auto room = agent.compactor.make_room(agent.context, stop);
  if (stop.stop_requested()) return ended(How::interrupted, 130);
  if (room.fits) return std::nullopt;
  return ended(How::failed, 1, room.why);
}

// What has been said so far goes into the store about once a second, and where a text ends, so that a crash
// loses little of a long answer and nothing of what stands before a call whose arguments take their time.
class PartialKeeper {
 public:
  explicit PartialKeeper(Agent& agent) : agent_(agent) {}
  void operator()(Event event) {
    if (auto* delta = std::get_if<Delta>(&event)) {
      (delta->kind == DeltaKind::text ? text_ : thinking_) += delta->text;
      if (const auto now = std::chrono::steady_clock::now(); now - saved_ >= std::chrono::seconds(1)) {
        agent_.store.partial(text_, thinking_);
        saved_ = now, kept_ = text_.size();
      }
    } else if (const auto* waiting = std::get_if<Waiting>(&event); waiting && waiting->attempt > 0) {
      text_.clear();
      thinking_.clear();
    }
    agent_.emit(std::move(event));
  }
  void text_done() {
    if (std::exchange(kept_, text_.size()) != text_.size()) agent_.store.partial(text_, thinking_, false);
  }

 private:
  Agent& agent_;
  std::string text_, thinking_;
  std::size_t kept_ = 0;  // of the text
  std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
};

UsageRow usage_row(const Agent& agent, const char* purpose, const TokenUsage& usage) {
  const auto& model = agent.context.model;
  UsageRow row{.turn = agent.turn, .provider = model.provider, .model = model.name, .purpose = purpose};
  row.input = usage.input;
  row.output = usage.output;
  row.cache_read = usage.cache_read;
  row.cache_write = usage.cache_write;
  row.dollars = model.dollars(usage);
  row.when = agent.now();
  return row;
}

ModelReply ask_model(Agent& agent, Progress& progress, std::stop_token stop) {
  ++progress.requests;
  const auto begin = std::chrono::steady_clock::now();
  agent.context.gauges.choose_cache(agent.context.model, agent.context.config.long_cache, agent.now());
  const auto request = build_request(agent.context, agent.limits);
  const auto estimated = agent.context.estimated(request.conversation);
  ModelReply reply;
  PartialKeeper keeper(agent);
  const std::function<void(Event)> keep = std::ref(keeper);
  const std::function<void()> text_done = [&] { keeper.text_done(); };
  agent.inbox.attend([&] { reply = ask(*agent.provider, request, keep, stop, text_done); });
  const auto& model = agent.context.model;
  if (reply.wasted.total_input() + reply.wasted.output > 0) {
    agent.context.gauges.spent(model.dollars(reply.wasted), model.priced);
    progress.usage.push_back(usage_row(agent, "retry", reply.wasted));
  }
  if (!reply.usage_reported) return reply;
  agent.context.gauges.reported(estimated, reply.usage, model, agent.now());
  const auto spent =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin).count();
  progress.usage.push_back(usage_row(agent, "turn", reply.usage));
  progress.usage.back().milliseconds = spent;
  progress.usage.back().sources = divided(request, agent.context.prompt, reply.usage, model);
  return reply;
}

bool speaks(const ModelReply& reply) {
  return std::any_of(reply.blocks.begin(), reply.blocks.end(),
                     [](const Block& block) { return !std::holds_alternative<Thinking>(block); });
}

void keep_usage(Agent& agent, Progress& progress) {
  for (const auto& row : std::exchange(progress.usage, {})) agent.store.add_usage(row);
}

// The answer joins the context; calls whose JSON the output limit cut in the middle leave it.
void take_reply(Agent& agent, ModelReply& reply, Progress& progress) {
  if (reply.interrupted || reply.failed)
    std::erase_if(reply.blocks, [](const Block& block) {
      const auto* thought = std::get_if<Thinking>(&block);
      return thought && thought->signature.empty();
    });
  agent.store.transact([&] {
    keep_usage(agent, progress);
    if (!speaks(reply)) return agent.store.partial({}, {});  // of an attempt that came to nothing
    Item item;
    item.role = Role::assistant;
    item.interrupted = reply.interrupted;
    item.blocks = reply.blocks;
    append(agent, std::move(item));
  });
}

int exit_code(Failure kind) {
  switch (kind) {
    case Failure::auth: return 3;
    case Failure::quota:
    case Failure::rate:
    case Failure::overloaded:
    case Failure::server:
    case Failure::network:
    case Failure::timeout: return 4;
    default: return 1;
  }
}

// True: the turn goes on with another request.
bool recovered(Agent& agent, const Failed& failed, Progress& progress, std::stop_token stop) {
  if (failed.kind == Failure::overflow && progress.overflows++ == 0)
    return agent.compactor.overflow(agent.context, failed, stop);
  return false;
}

void take_results(Agent& agent, CallsDone& done) {
  if (auto todos = todo_lines(agent.hands.todos); todos != agent.shown_todos) {
    agent.shown_todos = std::move(todos);
    agent.store.set_todos(agent.hands.todos);
    agent.emit(todo_event(agent.hands.todos));
  }
  Item item;
  item.role = Role::user;
  for (auto& run : done.runs) {  // what belongs to a result follows it
    item.blocks.push_back(std::move(run.result));
    for (auto& file : run.output.images)
      item.blocks.push_back(attached(file.media_type, std::move(file.bytes)));
  }
  append(agent, std::move(item));
  std::move(done.denials.begin(), done.denials.end(), std::back_inserter(agent.denials));
}

// True: a hook wants more of the model before the turn ends.
bool kept_going(Agent& agent, const ModelReply& reply, Progress& progress, std::stop_token stop) {
  if (reply.reason != StopReason::end || !speaks(reply)) return false;
  auto words = goes_on_for(agent, progress.hooks, reply.text(), stop);
  if (words.empty()) return false;
  append(agent, user_item(std::move(words), true));
  return true;
}

TurnEnded after_calls(const CallsDone& done) {
  if (!done.stuck.empty())
    return ended(How::failed, 1, "Stopped the turn: the model is going in circles: " + done.stuck);
  return ended(How::interrupted, 0);
}

// True: the answer was cut and the model shall go on.
bool take_up(Agent& agent, const ModelReply& reply, Progress& progress) {
  if (reply.reason != StopReason::length && reply.reason != StopReason::cut) return false;
  if (progress.cuts++ >= continuations) return false;
  append(agent, user_item(std::string(reply.reason == StopReason::length ? too_long : torn), true));
  return true;
}

// True: the model thought and said nothing, and is asked once for what it thought.
bool asked_to_speak(Agent& agent, const ModelReply& reply, Progress& progress) {
  if (reply.reason != StopReason::end || reply.blocks.empty() || speaks(reply) || progress.silences++ > 0)
    return false;
  append(agent, user_item("[You thought, but gave no answer. Give it now.]", true));
  return true;
}

std::string schema_fault(const Agent& agent, const ModelReply& reply) {
  if (agent.limits.json_schema.empty() || reply.reason == StopReason::refusal) return {};
  return schema_mismatch(agent.limits.json_schema, reply.text());
}

// True: the answer is not what the schema wants, and the model is told once what is wrong with it.
bool corrected(Agent& agent, const ModelReply& reply, Progress& progress) {
  const auto fault = schema_fault(agent, reply);
  if (fault.empty() || progress.corrections++ > 0) return false;
  append(agent, user_item("[Your answer does not match the JSON schema: " + fault +
                              ". Answer again with one JSON value that matches it, and nothing else.]",
                          true));
  return true;
}

TurnEnded finish(Agent& agent, const ModelReply& reply) {
  if (reply.reason == StopReason::refusal) return ended(How::failed, 1, "The model refused to answer.");
  if (reply.reason == StopReason::length || reply.reason == StopReason::cut)
    return ended(
        How::failed, 1,
        "The answer is incomplete: it was cut off again after " + std::to_string(continuations) +
            " continuations (" +
            (reply.reason == StopReason::length ? "the model's output limit" : "the connection broke") +
            ").");
  if (!speaks(reply))
    return ended(How::failed, 1, "The model gave an empty answer; try again or use another model.");
  if (const auto fault = schema_fault(agent, reply); !fault.empty())
    return ended(How::failed, 1,
                 "The answer does not match --json-schema, even when asked again: " + fault + ".");
  return ended(How::done, !agent.denials.empty() && !agent.hands.may_ask ? 6 : 0);
}

}  // namespace

// The whole turn. Each line is a step a person could name; each way out answers every call and closes every
// message.
static TurnEnded turn_of(Agent& agent, Submit input, Progress& progress, std::stop_token stop) {
  if (auto refused = prompt_refused(agent, input, stop); !refused.empty())
    return ended(How::failed, 1, std::move(refused));
  fit_pictures(agent, input, stop);
  agent.store.transact([&] {
    if (!agent.helper) agent.store.add_prompt(redact(input.text));
    take_input(agent, std::move(input));
  });
  for (;;) {
    take_steering(agent, stop);
    agent.refresh(stop);
    if (auto end = over_limit(agent, progress)) return *end;
    compact_if_due(agent, stop);
    if (auto end = make_room(agent, stop)) return *end;
    agent.show_meters();

    ModelReply reply = ask_model(agent, progress, stop);
    const auto calls = reply.calls();
    if (reply.failed && !reply.interrupted && calls.empty()) {
      if (recovered(agent, *reply.failed, progress, stop)) continue;
      take_reply(agent, reply, progress);
      return ended(How::failed, exit_code(reply.failed->kind), reply.failed->message);
    }
    progress.overflows =
        0;  // one try for each request that is too long; a later one of a long turn has its own
    if (calls.empty()) {
      take_reply(agent, reply, progress);
      agent.show_meters();
      if (reply.interrupted) return ended(How::interrupted, 130);
      if (take_up(agent, reply, progress) || asked_to_speak(agent, reply, progress)) continue;
      agent.inbox.drain();
      if (agent.inbox.steering()) continue;
      if (corrected(agent, reply, progress)) continue;
      if (kept_going(agent, reply, progress, stop)) continue;
      return finish(agent, reply);
    }

    const CallsDone done =
        agent.calls.run(calls, stop,
                        {.before = [&] { take_reply(agent, reply, progress); },
                         .after = [&](CallsDone& results) { take_results(agent, results); }});
    agent.show_meters();
    if (stop.stop_requested()) return ended(How::interrupted, 130);
    if (!done.stuck.empty() || done.said_no || done.hook_ends) return after_calls(done);
  }
}

bool asks_for_the_rest(const Item& item) {
  if (!item.synthetic || item.blocks.size() != 1) return false;
  const auto* text = std::get_if<Text>(&item.blocks.front());
  return text && (text->text == too_long || text->text == torn);
}

TurnEnded run_turn(Agent& agent, Submit input, std::stop_token stop) {
  Progress progress;
  agent.denials.clear();
  agent.compaction_due.reset();
  agent.calls.forget_repeats();
  agent.spending.turn_begins(agent.context.gauges.dollars());
  agent.emit(TurnStarted{++agent.turn});
  auto end = turn_of(agent, std::move(input), progress, stop);
  if (end.how == How::interrupted && stop.stop_requested())
    append(agent, user_item(std::string(interrupted_turn), true));
  end.milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - progress.begin)
          .count();
  agent.context.gauges.turn_ended();
  agent.spending.count(agent.context.gauges.dollars());
  agent.store.transact([&] {
    keep_usage(agent, progress);
    agent.store.remember(end);
    agent.store.set_state("gauges", agent.context.gauges.save(agent.context.model));
    agent.store.set_state("frame", save_frame(agent.context));
  });
  agent.show_meters();
  agent.emit(end);
  return end;
}

}  // namespace tern
