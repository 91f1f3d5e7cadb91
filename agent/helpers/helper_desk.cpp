#include "agent/helpers/helper_desk.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "agent/helpers/helper_prompt.h"
#include "agent/store/usage_row.h"
#include "compression/text/figures.h"
#include "compression/text/plain_text.h"
#include "tools/files/journal.h"
#include "tools/set/args.h"

namespace tern {
namespace {

using nlohmann::json;

constexpr Tokens most_kept = 1'500, least_work = 2'000;
constexpr std::size_t most_listed = 2'400;  // bytes of the tool's description that name agents
constexpr std::string_view state_key = "helpers", purpose = "helper";

// What no helper gets, whoever asks for it: other helpers, what asks the user, what changes a conversation,
// tools of servers.
bool never_given(const Tool& tool) {
  const bool conversation = tool.effects.has(Effect::context) && tool.duty != ToolDuty::recall;
  return tool.duty == ToolDuty::helper || tool.asks || tool.foreign || tool.stands_for || conversation;
}

bool is_all(const std::vector<std::string>& names) {
  return names.size() == 1 && (names.front() == "all" || names.front() == "*");
}

bool is_read(const std::vector<std::string>& names) {
  return names.empty() || (names.size() == 1 && names.front() == "read");
}

std::string calls_text(const HelperReport& report) {
  auto text = "explored " + thousands(report.explored) + " tokens in " + counted(report.calls, "call");
  if (report.used.dollars > 0) text += ", " + money(report.used.dollars);
  return text;
}

std::string head_of(const HelperReport& report, Tokens most) {
  switch (report.how) {
    case HelperReport::How::done: return "[The helper " + calls_text(report);
    case HelperReport::How::full:
      return "[The helper reached its limit of " + thousands(most) +
             " tokens and may have missed something; it " + calls_text(report);
    case HelperReport::How::refused:
      return "[The user or a hook refused a call of the helper, which ended it; it " + calls_text(report);
    case HelperReport::How::interrupted:
      return "[The user interrupted the helper before it had ended; it " + calls_text(report);
    case HelperReport::How::failed: break;
  }
  return "[The helper failed: " + report.why + " It " + calls_text(report);
}

// Its last words; where it was cut short also what it had looked at, so that nobody has to guess.
std::string body_of(const HelperReport& report) {
  std::string text = report.text;
  if (report.how == HelperReport::How::done || report.how == HelperReport::How::full)
    return text.empty() ? "(It said nothing.)" : text;
  if (report.steps.empty()) return text.empty() ? "It had looked at nothing yet." : text;
  text += (text.empty() ? "" : "\n\n") + std::string("Its calls so far, the newest last:\n");
  for (const auto& step : report.steps) text += "- " + step + '\n';
  return text;
}

void rule_doors(HelperDoors& doors, const HelperSetup& setup) {
  doors.keep_rule = [&setup](const PermissionRule& rule) {
    std::string wrong = "nothing is kept in this run";
    setup.inbox.on_owner([&] {
      auto& hands = setup.parent().hands;
      if (hands.keep_rule) wrong = hands.keep_rule(rule);
      if (wrong.empty()) hands.policy.rules.push_back(rule);
    });
    return wrong;
  };
  doors.granted = [&setup](const std::vector<PermissionRule>& rules) {
    setup.inbox.on_owner([&] {
      auto& parent = setup.parent();
      for (const auto& rule : rules) {
        parent.hands.policy.rules.push_back(rule);
        parent.store.grant(rule_text(rule), false);
      }
    });
  };
}

// Until the nearest limit of the parent, or that of Task itself.
std::optional<double> dollars_left(Agent& parent) {
  parent.spending.count(parent.context.gauges.dollars());
  auto left = parent.spending.left(parent.limits.cost);
  const auto own = left_for(parent.limits.cost, parent.store.spent_on(), helper_tool);
  if (own) left = std::min(left.value_or(*own), *own);
  return left;
}

void charge_door(HelperDoors& doors, const HelperSetup& setup) {
  doors.charge = [&setup](const UsageTotal& used, const ModelInfo& model) {
    std::optional<double> left;
    setup.inbox.on_owner([&] {
      auto& parent = setup.parent();
      UsageRow row{.turn = parent.turn,
                   .provider = model.provider,
                   .model = model.name,
                   .purpose = std::string(purpose)};
      row.input = used.input, row.output = used.output;
      row.cache_read = used.cache_read, row.cache_write = used.cache_write;
      row.dollars = used.dollars, row.when = parent.now();
      parent.store.add_usage(row);
      parent.context.gauges.spent(used.dollars, model.priced);
      parent.show_meters();
      left = dollars_left(parent);
    });
    return left;
  };
}

}  // namespace

bool HelperDesk::Turnstile::enter(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  if (!free_.wait(lock, stop, [this] { return !taken_; })) return false;
  return taken_ = true;
}

void HelperDesk::Turnstile::leave() {
  {
    std::lock_guard lock(mutex_);
    taken_ = false;
  }
  free_.notify_one();
}

Tool task_tool() {
  Tool tool;
  tool.name = helper_tool;
  tool.duty = ToolDuty::helper;
  tool.description =
      "Hands a search or another bounded task to a helper with its own context; you get its report of at "
      "most 1,500 tokens. "
      "Several in one message run at once. The prompt must say everything: the helper sees nothing of this "
      "conversation.";
  tool.about = "Gives a task to a helper with a context of its own.";
  tool.schema =
      R"({"type":"object","properties":{"description":{"type":"string"},"prompt":{"type":"string"},)"
      R"("agent":{"type":"string"},)"
      R"("tools":{"type":"string","description":"read (default), all, or names"},)"
      R"("max_tokens":{"type":"integer"}},)"
      R"("required":["description","prompt"]})";
  tool.effects = Effect::read;  // what a helper does beyond that its own gate decides
  tool.basic = false;
  tool.aliases = "subagent_type=agent agent_type=agent subagent=agent task=prompt title=description";
  tool.subject = [](const json& args) { return text_arg(args, "description"); };
  tool.vouched = true;
  tool.most_tokens = static_cast<int>(most_kept);
  return tool;
}

Tool HelperDesk::tool() {
  Tool tool = task_tool();
  tool.basic = !setup_.agents.agents.empty();
  if (tool.basic) tool.description += " Agents: " + agent_names(setup_.agents, most_listed) + ".";
  tool.run = [this](const json& args, ToolContext& ctx) { return run(args, ctx); };
  return tool;
}

bool HelperDesk::read_task(const json& args, HelperTask& task, std::vector<std::string>& tools,
                           std::string& error) const {
  task.description = text_arg(args, "description");
  task.prompt = text_arg(args, "prompt");
  task.most = std::clamp<Tokens>(int_arg(args, "max_tokens", setup_.most), std::min(least_work, setup_.most),
                                 setup_.most);
  tools = list_words(text_arg(args, "tools"));
  if (trimmed(task.prompt).empty())
    error = "The prompt is empty. Say what the helper is to find out and what to report.";
  const auto name = text_arg(args, "agent");
  if (name.empty()) return error.empty();
  constexpr std::string_view plain_ones[] = {"general-purpose", "Explore",
                                             "Plan"};  // which other agents have built in
  const bool plain = std::find(std::begin(plain_ones), std::end(plain_ones), name) != std::end(plain_ones);
  if (const auto* agent = meant_by(name, setup_.agents.agents)) {
    task.agent = *agent;
  } else if (!plain) {
    const auto known = agent_names(setup_.agents, most_listed);
    error = "There is no agent \"" + name + "\". " +
            (known.empty() ? "There are none here: leave the agent out."
                           : "There is: " + known + ". Or leave the agent out.");
  }
  return error.empty();
}

// Tools that only read unless the agent's file or the call names others; where both do, what is in both.
HelperDesk::Given HelperDesk::given(const HelperTask& task, const std::vector<std::string>& asked,
                                    const ToolSet& offered) const {
  Given result;
  const auto names_it = [&](const std::vector<std::string>& names, const Tool& tool) {
    if (is_read(names)) return tool.effects.only(Effect::read);
    return is_all(names) || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
             const auto found = offered.find(name.substr(0, name.find('(')));
             return found && found->name == tool.name;
           });
  };
  const auto& files = task.agent.tools;
  const bool both = !files.empty() && !asked.empty();
  for (const auto& tool : offered) {
    if (never_given(*tool)) continue;
    const bool wanted = both ? names_it(files, *tool) && names_it(asked, *tool)
                             : names_it(files.empty() ? asked : files, *tool);
    if (wanted || tool->duty == ToolDuty::recall) result.tools.add(tool);
  }
  for (const auto* names : {&files, &asked}) {
    if (is_read(*names) || is_all(*names)) continue;
    for (const auto& name : *names) {
      const auto plain = name.substr(0, name.find('('));
      const auto found = offered.find(plain);
      const bool given = found && result.tools.find(found->name) != nullptr;
      if (!given) result.left_out += (result.left_out.empty() ? "" : ", ") + plain;
    }
  }
  return result;
}

// An agent's own model where there is a way to it.
ModelInfo HelperDesk::model_for(const AgentFile& agent, const ModelInfo& parents, std::string& note) {
  if (agent.model.empty()) return parents;
  const auto name = setup_.models.resolve(agent.model);
  const auto info = name ? setup_.models.find(name->provider, name->model) : ModelInfo();
  if (name && setup_.connect(info)) return info;
  note = " Its model " + agent.model + " cannot be used now: " + parents.name + " answered.";
  return parents;
}

HelperWorld HelperDesk::world(const HelperTask& task, const Given& given, std::string& note) {
  auto& parent = setup_.parent();
  const auto& hands = parent.hands;
  HelperWorld world{.store = setup_.store,
                    .session = parent.store.session(),
                    .models = setup_.models,
                    .model = model_for(task.agent, parent.context.model, note),
                    .window_override = parent.context.window_override,
                    .thinking = parent.limits.thinking,
                    .config = parent.context.config,
                    .workspace = hands.workspace,
                    .sandbox = hands.sandbox,
                    .ready_sandbox = hands.ready_sandbox,
                    .policy = hands.policy,
                    .may_ask = hands.may_ask,
                    .spill_dir = hands.spill_dir,
                    .allowed_env = hands.allowed_env,
                    .set_env = hands.set_env,
                    .tools = given.tools,
                    .system = helper_prompt(task, setup_.where, given.tools, setup_.memory),
                    .dollars = std::nullopt};
  world.parents_model = parent.context.model.name;
  for (const auto event : {HookEvent::pre_tool_use, HookEvent::post_tool_use,
                           HookEvent::post_tool_use_failure, HookEvent::permission_request})
    world.hooks |= hands.hooks.heard & Hooks::bit(event);
  if (task.agent.plan_only) world.policy.mode = PermissionMode::plan;
  world.dollars = dollars_left(parent);
  return world;
}

HelperDoors HelperDesk::doors(ToolContext& ctx) {
  HelperDoors doors;
  auto& inbox = setup_.inbox;
  doors.connect = [this, &inbox](const ModelInfo& model) {
    std::unique_ptr<Provider> provider;
    inbox.on_owner([&] { provider = setup_.connect(model); });
    return provider;
  };
  doors.ask = [this, &inbox](const PermissionAsked& asked, std::stop_token stop) {
    std::optional<Answer> answer;
    inbox.on_owner([&] {
      auto& parent = setup_.parent();
      PermissionAsked question = asked;
      question.id = setup_.next_question();
      question.reason = "a helper asks: " + asked.reason;
      parent.emit(question);
      answer = inbox.wait_answer(question.id, stop);
      parent.emit(PermissionSettled{question.id, answer ? answer->verdict : Verdict::no});
    });
    return answer;
  };
  doors.ask_hooks = [this, &inbox](const HookCall& call, std::stop_token stop) {
    HookAnswer answer;
    inbox.on_owner([&] { answer = setup_.parent().hands.hooks.ask(call, stop); });
    return answer;
  };
  doors.tell = [this, &inbox](const Notice& notice) {
    inbox.on_owner([&] { setup_.parent().emit(notice); });
  };
  doors.record = [this, &inbox](const FileChange& change) {
    inbox.on_owner([&] { setup_.parent().hands.journal.record(change); });
  };
  rule_doors(doors, setup_);
  charge_door(doors, setup_);
  doors.progress = ctx.progress;
  return doors;
}

ToolOutput HelperDesk::run(const json& args, ToolContext& ctx) {
  HelperTask task;
  std::vector<std::string> asked;
  std::string error, note;
  if (!read_task(args, task, asked, error))
    return {.text = error, .is_error = true, .subject = task.description};
  std::optional<HelperWorld> seen;
  Given tools;
  setup_.inbox.on_owner([&] {
    tools = given(task, asked, setup_.parent().hands.offered);
    seen = world(task, tools, note);
  });
  const auto model = seen->model.name == seen->parents_model ? std::string() : seen->model.name;
  ctx.progress("explored 0 of " + thousands(task.most) + " · starts\n");
  const bool writes = !only_looks(tools.tools);
  HelperReport report{.how = HelperReport::How::interrupted};
  if (!writes || writers_.enter(ctx.stop)) {
    try {
      report = run_helper(std::move(*seen), doors(ctx), task, ctx.stop);
    } catch (const std::exception& fault) {
      report.how = HelperReport::How::failed;
      report.why = std::string("a fault inside tern: ") + fault.what() + '.';
    }
    if (writes) writers_.leave();
  }
  std::string text = head_of(report, task.most) + "." + note;
  if (setup_.store.folder.empty())
    text += " This session is not kept: ids such as r17 in its report cannot be recalled.";
  if (!tools.left_out.empty()) text += " It did not get these tools: " + tools.left_out + '.';
  if (report.how == HelperReport::How::failed) text += " Do it yourself, or ask again with a smaller task.";
  const auto body = body_of(report);
  text += "]\n\n" + body;
  const auto kept = std::min(estimate(text), most_kept);
  account(report, kept);
  ToolOutput output{.text = std::move(text), .subject = task.description};
  output.shown = (report.why.empty() ? "" : report.why + "\n") + body;
  output.is_error = report.how != HelperReport::How::done && report.how != HelperReport::How::full;
  output.note = "explored " + thousands(report.explored) + ", kept " + thousands(kept) + " · " +
                counted(report.calls, "call");
  if (report.used.dollars > 0) output.note += " · " + money(report.used.dollars);
  if (!model.empty()) output.note += " · " + model;
  if (report.how == HelperReport::How::full) output.note += " · limit reached";
  if (report.how == HelperReport::How::interrupted) output.note += " · interrupted";
  if (report.how == HelperReport::How::refused) output.note += " · stopped at a refused call";
  output.user_first = report.how == HelperReport::How::refused;
  return output;
}

HelperTotals HelperDesk::totals(const RowStore& store) {
  HelperTotals totals;
  std::istringstream in(store.state(state_key));
  in >> totals.runs >> totals.explored >> totals.kept >> totals.dollars;
  return totals;
}

void HelperDesk::account(const HelperReport& report, Tokens kept) {
  setup_.inbox.on_owner([&] {
    auto& parent = setup_.parent();
    auto& store = parent.store;
    parent.denials.insert(parent.denials.end(), report.denials.begin(), report.denials.end());
    const auto so_far = totals(store);
    std::ostringstream out;
    out << so_far.runs + 1 << ' ' << so_far.explored + report.explored << ' ' << so_far.kept + kept << ' '
        << so_far.dollars + report.used.dollars;
    store.set_state(state_key, out.str());
  });
}

}  // namespace tern
