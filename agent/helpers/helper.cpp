#include "agent/helpers/helper.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "agent/models/redact.h"
#include "agent/store/usage_row.h"
#include "agent/turn/agent.h"
#include "agent/turn/context_tools.h"
#include "agent/turn/turn.h"
#include "compression/text/figures.h"
#include "tools/exec/jobs.h"
#include "tools/files/file_memory.h"
#include "tools/files/journal.h"
#include "tools/workspace/workspace.h"

namespace tern {
namespace {

constexpr std::string_view report_now =
    "[Your limit is reached: there are no more tool calls. Report now what you have found, and say what you "
    "did not look at.]";
constexpr std::size_t most_steps = 20;
constexpr int most_requests = 100;  // of a helper whose agent names no limit

TimePoint time_now() {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

std::string last_words(const Conversation& conversation) {
  for (auto item = conversation.items.rbegin(); item != conversation.items.rend(); ++item) {
    if ((*item)->role != Role::assistant) continue;
    std::string text;
    for (const auto& block : (*item)->blocks)
      if (const auto* said = std::get_if<Text>(&block)) text += said->text;
    if (!text.empty()) return text;
  }
  return {};
}

class HelperRun {
 public:
  HelperRun(HelperWorld world, const HelperDoors& doors, const HelperTask& task);
  HelperReport run(std::stop_token stop);

 private:
  TurnEnded work(std::stop_token stop);
  void see(Event event);
  void ask(const PermissionAsked& asked);
  void charge();
  void tell(const std::string& what);
  void close();

  HelperWorld world_;
  const HelperDoors& doors_;
  const HelperTask& task_;
  std::stop_token stop_;
  std::unique_ptr<Store> store_;
  FileMemory files_;
  Journal journal_;
  Jobs jobs_;
  ToolEnvironment hands_;
  Context context_;
  Mailbox<Command> answers_;
  Inbox inbox_;
  std::unique_ptr<Provider> provider_;
  Compactor compactor_;
  ToolCalls calls_;
  Agent agent_;
  std::size_t rules_before_ = 0;
  std::vector<std::string> kept_rules_;
  UsageTotal charged_;
  HelperReport report_;
};

HelperRun::HelperRun(HelperWorld world, const HelperDoors& doors, const HelperTask& task)
    : world_(std::move(world)),
      doors_(doors),
      task_(task),
      store_(Store::open(world_.store)),
      journal_(JournalStore{[this](const FileChange& change) { doors_.record(change); },
                            [](std::uint64_t, std::uint64_t) { return std::vector<FileChange>(); }}),
      hands_{.workspace = world_.workspace,
             .files = files_,
             .journal = journal_,
             .jobs = jobs_,
             .sandbox = world_.sandbox,
             .ready_sandbox = world_.ready_sandbox},
      inbox_(answers_, [](const Event&) {}),
      compactor_(CompactorWorld{.store = *store_,
                                .models = world_.models,
                                .files = files_,
                                .todos = hands_.todos,
                                .emit = [this](Event event) { see(std::move(event)); },
                                .connect = [this](const ModelInfo& model) { return doors_.connect(model); },
                                .now = time_now,
                                .attend = [](const std::function<void()>& work) { work(); },
                                .append = [this](Item item) { return append(agent_, std::move(item)); },
                                .root = world_.workspace.root()}),
      calls_(hands_, context_, *store_, inbox_, [this](Event event) { see(std::move(event)); }),
      agent_{.store = *store_,
             .context = context_,
             .compactor = compactor_,
             .hands = hands_,
             .calls = calls_,
             .inbox = inbox_,
             .provider = provider_,
             .emit = [this](Event event) { see(std::move(event)); },
             .now = time_now,
             .refresh = [](std::stop_token) {},
             .show_meters = [this] { charge(); },
             .limits = {.max_requests = task.agent.max_turns > 0 ? task.agent.max_turns : most_requests,
                        .thinking = world_.thinking,
                        .max_growth = task.most},
             .helper = true} {
  inbox_.set_attending(false);
  hands_.spill_dir = world_.spill_dir;
  hands_.allowed_env = world_.allowed_env;
  hands_.set_env = world_.set_env;
  hands_.offered = world_.tools;
  hands_.policy = world_.policy;
  hands_.may_ask = world_.may_ask;
  hands_.most_growth = task.most;
  hands_.recall = [this](const RecallQuery& query) { return answer_recall(*store_, query); };
  hands_.keep_rule = [this](const PermissionRule& rule) {
    auto wrong = doors_.keep_rule(rule);
    if (wrong.empty()) kept_rules_.push_back(rule_text(rule));
    return wrong;
  };
  hands_.hooks.heard = world_.hooks;
  hands_.hooks.ask = [this](const HookCall& call, std::stop_token stop) {
    HookCall told = call;
    const nlohmann::json type = task_.agent.name.empty() ? std::string(helper_tool) : task_.agent.name;
    told.fields.insert(1, "\"agent_id\":\"" + report_.session + "\",\"agent_type\":" + type.dump() + ",");
    return doors_.ask_hooks(told, stop);
  };
  rules_before_ = hands_.policy.rules.size();
  context_.model = world_.model;
  context_.window_override = world_.window_override;
  context_.config = world_.config;
  context_.prompt.text = world_.system;
  context_.prompt.system = estimate(world_.system);
  for (const auto& tool : hands_.offered)
    context_.tools.push_back({tool->name, tool->description, tool->schema});
  context_.tool_tokens = tokens_of(context_.tools);
}

HelperReport HelperRun::run(std::stop_token stop) {
  stop_ = stop;
  provider_ = doors_.connect(context_.model);
  if (!provider_) {
    report_.how = HelperReport::How::failed;
    report_.why = "there is no way to the model " + context_.model.provider + "/" + context_.model.name;
    return report_;
  }
  const auto& model = context_.model;
  NewSession session{.name = task_.description, .cwd = world_.workspace.root().string()};
  session.model = model.provider + "/" + model.name;
  session.helper_of = world_.session;
  report_.session = store_->create(std::move(session)).id;
  const auto end = work(stop);
  if (stop.stop_requested())
    report_.how = HelperReport::How::interrupted;
  else if (end.how == TurnEnded::How::interrupted)
    report_.how = HelperReport::How::refused;
  else if (end.how != TurnEnded::How::done)
    report_.how = HelperReport::How::failed;
  if (report_.how == HelperReport::How::failed)
    report_.why = end.by_cost ? "a limit on dollars is reached." : end.error;
  report_.denials = agent_.denials;
  report_.text = last_words(context_.conversation);
  close();
  return report_;
}

// At the ceiling it is asked once for its report. Where the dollars ran out nothing more is asked.
TurnEnded HelperRun::work(std::stop_token stop) {
  compactor_.new_turn(1);
  const auto end = run_turn(agent_, Submit{task_.prompt}, stop);
  const bool broke = world_.dollars && *world_.dollars <= 0;
  if (end.how != TurnEnded::How::limit || broke || stop.stop_requested()) return end;
  report_.how = HelperReport::How::full;
  hands_.offered = {};
  hands_.most_growth = 0;
  agent_.limits.max_requests = 1;
  agent_.limits.max_growth = 0;
  agent_.limits.no_calls = true;
  compactor_.new_turn(2);
  return run_turn(agent_, Submit{std::string(report_now)}, stop);
}

// Progress comes from the threads of its tools, and is nobody's business here.
void HelperRun::see(Event event) {
  if (std::holds_alternative<ToolProgress>(event)) return;
  if (const auto* added = std::get_if<ItemAdded>(&event)) {
    report_.explored += added->item->tokens;
  } else if (const auto* asked = std::get_if<PermissionAsked>(&event)) {
    ask(*asked);
  } else if (const auto* started = std::get_if<ToolStarted>(&event)) {
    ++report_.calls;
    const auto step = (started->label.empty() ? started->tool : started->label) + ' ' + started->subject;
    report_.steps.push_back(step.substr(0, step.find('\n')));
    if (report_.steps.size() > most_steps) report_.steps.erase(report_.steps.begin());
    tell(report_.steps.back());
  } else if (const auto* notice = std::get_if<Notice>(&event)) {
    if (notice->level != Level::info) doors_.tell(*notice);
  } else if (const auto* compaction = std::get_if<Compaction>(&event)) {
    if (compaction->phase == CompactionPhase::completed) tell("compacted");
  }
}

void HelperRun::tell(const std::string& what) {
  doors_.progress("explored " + thousands(report_.explored) + " of " + thousands(task_.most) + " · " + what +
                  '\n');
}

// The answer is in the mailbox before anybody waits for it.
void HelperRun::ask(const PermissionAsked& asked) {
  auto answer = doors_.ask(asked, stop_);
  if (!answer) return answers_.close();
  answer->id = asked.id;
  answers_.push(std::move(*answer));
}

void HelperRun::charge() {
  const auto now = store_->spent();
  if (now.requests == charged_.requests) return;
  const UsageTotal since{now.requests - charged_.requests,       now.input - charged_.input,
                         now.output - charged_.output,           now.cache_read - charged_.cache_read,
                         now.cache_write - charged_.cache_write, now.dollars - charged_.dollars};
  charged_ = report_.used = now;
  world_.dollars = doors_.charge(since, context_.model);
  if (!world_.dollars) return;
  constexpr double nothing = 1e-9;  // zero would be no limit
  agent_.limits.cost.run = std::max(context_.gauges.dollars() + *world_.dollars, nothing);
}

// Its commands end with it, and what the user granted meanwhile goes on to hold.
void HelperRun::close() {
  charge();
  compactor_.stop_drafting();
  jobs_.close();
  journal_.settle(world_.workspace, jobs_);
  store_->retry();
  std::vector<PermissionRule> rules(hands_.policy.rules.begin() + static_cast<std::ptrdiff_t>(rules_before_),
                                    hands_.policy.rules.end());
  std::erase_if(rules, [&](const PermissionRule& rule) {
    return std::find(kept_rules_.begin(), kept_rules_.end(), rule_text(rule)) != kept_rules_.end();
  });
  if (!rules.empty()) doors_.granted(rules);
}

}  // namespace

HelperReport run_helper(HelperWorld world, const HelperDoors& doors, const HelperTask& task,
                        std::stop_token stop) {
  return HelperRun(std::move(world), doors, task).run(stop);
}

}  // namespace tern
