#include "agent/turn/agent.h"

#include <sstream>

#include "agent/compactor/resume_rule.h"
#include "compression/values/check.h"
#include "compression/values/tokens.h"

namespace tern {

namespace {

void tell_of_disk(Agent& agent) {
  const auto unsaved = agent.store.unsaved();
  if (unsaved.empty() != agent.unsaved_shown) return;
  agent.unsaved_shown = !unsaved.empty();
  agent.emit(unsaved.empty() ? Notice{Level::info, "What had been kept in memory is saved."}
                             : Notice{Level::warning, unsaved});
}

}  // namespace

ItemPtr append(Agent& agent, Item item) {
  item.id = agent.store.next_item();
  item.when = agent.now();
  if (!item.recall) item.recall = agent.store.next_recall();
  auto made = make_item(std::move(item));
  agent.store.append(made);
  agent.context.conversation.items.push_back(made);
  agent.context.gauges.grew(agent.context.estimated(made));
  agent.store.afterwards([&agent, made] {
    tell_of_disk(agent);
    agent.emit(ItemAdded{made});
  });
  return made;
}

std::string over_its_limit(Agent& agent, const Tool& tool) {
  if (agent.limits.cost.sources.empty()) return {};
  auto why = over_its_limit(agent.limits.cost, agent.store.spent_on(), tool.name);
  const auto source = source_of_tool(tool.name);
  if (!why.empty() && agent.costly_shown.insert(source).second)
    agent.emit(Notice{Level::warning,
                      why + ". tern stops calling it; /cost limit " + source + " AMOUNT raises it."});
  return why;
}

Todos todo_event(const std::vector<TodoItem>& todos) {
  Todos event;
  std::istringstream lines(todo_lines(todos));
  for (std::string line; std::getline(lines, line);) event.lines.push_back(line);
  return event;
}

Request build_request(const Context& context, const TurnLimits& limits) {
  Request request;
  request.model = context.model.name;
  request.system = context.prompt.text;
  request.tools = context.tools;
  request.conversation = repair(context.conversation);
  request.max_output = context.model.reserve(context.window_override);
  request.window = context.window();
  request.thinking = context.model.thinking || !context.model.known ? limits.thinking : 0;
  request.json_schema = limits.json_schema;
  request.may_call_tools = !limits.no_calls;
  request.long_cache = context.gauges.asks_hour();
  return request;
}

}  // namespace tern
