// Everything one turn works with, owned by the worker thread. Front ends never see it: they get Events and
// send Commands.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/compactor/compactor.h"
#include "agent/compactor/meters.h"
#include "agent/models/provider.h"
#include "agent/protocol/inbox.h"
#include "agent/store/store.h"
#include "agent/turn/spending.h"
#include "agent/turn/tool_calls.h"

namespace tern {

struct TurnLimits {
  int max_requests = 0;  // of one turn; 0 = none
  SpendLimits cost;
  std::string json_schema;  // the final answer must match it
  int thinking = 0;         // tokens
  Tokens max_growth = 0;    // that may join the conversation in one turn; 0 = none
  bool no_calls = false;    // the model is to answer without a tool
};

struct Agent {
  Store& store;
  Context& context;
  Compactor& compactor;
  ToolEnvironment& hands;
  ToolCalls& calls;
  Inbox& inbox;
  std::unique_ptr<Provider>& provider;
  std::function<void(Event)> emit;
  std::function<TimePoint()> now;
  std::function<void(std::stop_token)> refresh;  // system prompt and model again, when a command changed them
  std::function<void()> show_meters;
  TurnLimits limits;
  std::uint64_t turn = 0;
  std::vector<Denial> denials;            // of this turn
  std::optional<Compact> compaction_due;  // the model asked for it: before the next request
  std::string shown_todos = {};
  bool unsaved_shown = false;  // that the disk refuses is said once, and once when it is over
  Spending spending = {};
  bool unpriced_shown = false;
  std::set<std::string> costly_shown = {};  // sources over their limits
  bool helper = false;                      // it works for another agent: no user wrote its prompts
};

// Logs an item, adds it to the context and shows it. The item gets its id, time and recall id here.
ItemPtr append(Agent& agent, Item item);

// Why a tool is called no more, for the model; the user is told once.
std::string over_its_limit(Agent& agent, const Tool& tool);

Todos todo_event(const std::vector<TodoItem>& todos);

// The request for the context as it stands; its conversation passes check().
Request build_request(const Context& context, const TurnLimits& limits);

}  // namespace tern
