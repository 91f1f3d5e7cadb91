#include "app/session/session_hooks.h"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "agent/extend/brought_files.h"
#include "agent/extend/plugin.h"
#include "agent/gate/reach.h"
#include "agent/protocol/local_time.h"
#include "app/session/session_commands.h"
#include "app/session/session_parts.h"
#include "compression/text/figures.h"
#include "compression/text/utf8.h"
#include "tools/sandbox/child_env.h"

namespace tern {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kMostContext = 50'000, kPreview = 2'000;  // characters

std::string text_of(const json& fields) {
  return fields.dump(-1, ' ', false, json::error_handler_t::replace);
}

const char* mode_name(PermissionMode mode) {
  switch (mode) {
    case PermissionMode::accept_edits: return "acceptEdits";
    case PermissionMode::plan: return "plan";
    case PermissionMode::automatic: return "auto";
    case PermissionMode::bypass: return "bypassPermissions";
    case PermissionMode::ask: break;
  }
  return "default";
}

const char* mark_of(EntryAnswer answer) {
  switch (answer) {
    case EntryAnswer::granted:
    case EntryAnswer::approved: return "●";
    case EntryAnswer::refused: return "○";
    case EntryAnswer::unknown: break;
  }
  return "?";
}

const char* words_for(const HookRow& row) {
  if (row.spent) return "has run once";
  switch (row.answer) {
    case EntryAnswer::granted: return "with your rights";
    case EntryAnswer::approved: return row.entry.kind == HookEntry::Kind::http ? "on" : "in the sandbox";
    case EntryAnswer::refused: return "refused";
    case EntryAnswer::unknown: break;
  }
  return "waits for your approval";
}

}  // namespace

HookEntries find_hooks(const SessionSetup& setup, const fs::path& root, bool trusted) {
  HookEntries all = read_hooks(setup.hooks, {setup.user_file, HookOrigin::user, root});
  for (const auto& plugin : setup.plugins)
    for (const auto& [source, text] : plugin_texts(plugin, "hooks", "hooks/hooks.json"))
      append(all, read_hooks(text, {plugin_name(plugin) + "/" + source, HookOrigin::plugin, root, plugin}));
  if (!setup.home.empty())
    append(all, read_hooks(read_brought({setup.home / ".claude"}, "settings.json"),
                           {"~/.claude/settings.json", HookOrigin::imported, root}));
  if (!trusted || root == setup.home) return all;
  for (const std::string name : {"settings.json", "settings.local.json"})
    append(all, read_hooks(read_brought({root / ".claude", root}, name),
                           {".claude/" + name, HookOrigin::project, root}));
  return all;
}

SessionHooks::SessionHooks(const SessionSetup& setup, const fs::path& root, bool trusted, World world)
    : setup_(setup), root_(root), world_(std::move(world)) {
  if (setup.read_only) return;
  auto found = find_hooks(setup, root, trusted);
  for (const auto& problem : found.problems) world_.hooks.tell(Notice{Level::warning, problem});
  if (found.entries.empty() && found.skipped.empty()) return;
  auto hooks = world_.hooks;
  hooks.root = root;
  hooks.env = child_env(current_env(), setup.allowed_env, {});
  hooks.variable = [this](const std::string& name) { return setup_.env(name); };
  runner_ = std::make_unique<HookRunner>(std::move(found), EntryApprovals(approvals_file(approved_entries)),
                                         std::move(hooks));
  const auto waiting = static_cast<std::int64_t>(runner_->waiting());
  if (waiting > 0)
    world_.hooks.tell(Notice{Level::warning, counted(waiting, "hook waits", "hooks wait") +
                                                 " for your approval. /hooks shows them."});
}

void SessionHooks::join(ToolEnvironment& hands, Compactor& compactor) {
  hands_ = &hands;
  compactor_ = &compactor;
  attach();
}

// Who hears nothing is not asked.
void SessionHooks::attach() {
  if (!runner_ || !hands_) return;
  hands_->hooks.heard = runner_->heard();
  hands_->hooks.ask = [this](const HookCall& call, std::stop_token stop) { return ask(call, stop); };
  const auto& hooks = hands_->hooks;
  const bool pre = hooks.hear(HookEvent::pre_compact);
  const bool post = hooks.hear(HookEvent::post_compact) || hooks.hear(HookEvent::session_start);
  compactor_->set_steering(pre ? [this](const CompactionIntent& intent) { return before(intent); }
                               : decltype(CompactorWorld::before_compaction)(),
                           post ? [this](const CompactionOutcome& outcome) { after(outcome); }
                                : decltype(CompactorWorld::after_compaction)());
}

// A long context goes into the store, with its beginning in the conversation.
HookAnswer SessionHooks::ask(const HookCall& call, std::stop_token stop) {
  const auto title = call.event == HookEvent::user_prompt_submit && world_.title ? world_.title() : "";
  HookCall told = call;
  if (!title.empty()) told.fields.insert(1, "\"session_title\":" + text_of(json(title)) + ",");
  auto answer = runner_->ask(told, stop);
  if (!answer.title.empty() && world_.call_it) world_.call_it(answer.title);
  if (answer.context.size() > kMostContext) {
    const auto id = world_.keep(answer.context);
    answer.context.resize(utf8_floor(answer.context, kPreview));
    answer.context += "\n[… " + id + " holds all of it …]";
  }
  return answer;
}

void SessionHooks::started(const std::string& how) {
  open_ = true;
  if (!runner_ || !hands_->hooks.hear(HookEvent::session_start)) return;
  auto fields = json::parse(world_.context());
  fields["source"] = how;
  const auto answer = ask({HookEvent::session_start, how, text_of(fields)}, {});
  if (!answer.context.empty())
    hands_->notes.push("[A hook says at the start of the session:]\n" + answer.context);
  for (const auto& entry : answer.variables) set_variable(hands_->set_env, entry);
}

void SessionHooks::ended(const std::string& why) {
  if (!std::exchange(open_, false) || !runner_ || !hands_->hooks.hear(HookEvent::session_end)) return;
  ask({HookEvent::session_end, why, text_of({{"reason", why}})}, {});
}

void SessionHooks::saw(const Event& event) {
  const auto* asked = std::get_if<PermissionAsked>(&event);
  if (!asked && !std::holds_alternative<QuestionAsked>(event)) return;  // others come on any thread
  if (!runner_ || !hands_ || !hands_->hooks.hear(HookEvent::notification)) return;
  const std::string type = asked ? "permission_prompt" : "elicitation_dialog";
  const json fields{
      {"message", asked ? "tern needs your permission to use " + asked->tool : "tern has a question for you"},
      {"title", asked ? asked->title : "Question"},
      {"notification_type", type}};
  runner_->ask_aside({HookEvent::notification, type, text_of(fields)});
}

std::string SessionHooks::model_refused(const Context& context, const ModelName& next) {
  if (!runner_ || !hands_->hooks.hear(HookEvent::pre_model_switch)) return {};
  const auto& cache = context.gauges.cache();
  const auto to = next.provider + "/" + next.model;
  const auto& info = setup_.models.find(next.provider, next.model);
  const auto used = used_of(context);
  json fields{{"from_model", context.model.provider + "/" + context.model.name},
              {"to_model", to},
              {"context_tokens", used},
              {"prompt_cache_warm", cache.seen && cache.warm(world_.hooks.now())}};
  if (info.priced) fields["estimated_cache_write_usd"] = info.dollars({.cache_write = used});
  const auto answer = ask({HookEvent::pre_model_switch, to, text_of(fields)}, {});
  if (!answer.blocked && !answer.ends_turn) return {};
  const auto& why = answer.blocked ? answer.reason : answer.stop_reason;
  return "The hook " + answer.by + " refused the change of model" + (why.empty() ? "." : ": " + why);
}

CompactionSteering SessionHooks::before(const CompactionIntent& intent) {
  json items = json::array();
  for (const auto& item : intent.items)
    items.push_back({{"id", item.id},
                     {"kind", item.kind},
                     {"subject", item.subject},
                     {"tokens", item.tokens},
                     {"reason", item.reason}});
  const std::string trigger = intent.cause == Cause::asked ? "manual" : "auto";
  const json fields{{"trigger", trigger},
                    {"custom_instructions", intent.focus},
                    {"plan",
                     {{"tier", to_string(intent.tier)},
                      {"before_tokens", intent.before},
                      {"after_tokens", intent.after},
                      {"why", intent.why},
                      {"items", std::move(items)}}}};
  auto answer = ask({HookEvent::pre_compact, trigger, text_of(fields)}, {});
  CompactionSteering steering;
  steering.block = answer.blocked || answer.ends_turn;
  steering.why = answer.blocked ? std::move(answer.reason) : std::move(answer.stop_reason);
  steering.instructions = std::move(answer.instructions);
  steering.pin = std::move(answer.pin);
  steering.drop = std::move(answer.drop);
  return steering;
}

void SessionHooks::after(const CompactionOutcome& outcome) {
  const std::string trigger = outcome.cause == Cause::asked ? "manual" : "auto";
  const json fields{{"trigger", trigger},
                    {"compact_summary", outcome.summary},
                    {"tier", to_string(outcome.tier)},
                    {"before_tokens", outcome.before},
                    {"after_tokens", outcome.after},
                    {"summary_id", outcome.summary_id},
                    {"kept", outcome.kept},
                    {"lost_specifics", outcome.lost_specifics},
                    {"recall_ids", outcome.recall_ids}};
  if (hands_->hooks.hear(HookEvent::post_compact)) {
    const auto answer = ask({HookEvent::post_compact, trigger, text_of(fields)}, {});
    if (!answer.context.empty()) hands_->notes.push("[A hook says after the compaction:]\n" + answer.context);
  }
  if (outcome.tier >= Tier::compact) started("compact");
}

std::string SessionHooks::page() {
  std::string text;
  const auto& rows = runner_->rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& row = rows[i];
    const auto& entry = row.entry;
    text += (i < 9 ? " " : "") + std::to_string(i + 1) + " " + mark_of(row.answer) + " " +
            std::string(to_string(entry.event)) + (entry.matcher.empty() ? "" : "  " + entry.matcher) + "  " +
            entry.title() + "\n     " + entry.source + " · " + words_for(row) + "\n";
    if (row.last)
      text += "     last run " + local_time(row.last->when, "%H:%M:%S") + " · " +
              std::to_string(row.last->took.count()) + " ms · " + row.last->shown + "\n";
  }
  for (const auto& skipped : runner_->skipped()) text += " –   " + skipped + "\n";
  return text +
         "\n/hooks NUMBER shows one · /hooks approve|grant|refuse NUMBER|all · grant lets it run outside the "
         "sandbox\n";
}

std::string SessionHooks::details(std::size_t which) {
  const auto& row = runner_->rows()[which];
  const auto text = json::parse(row.entry.text, nullptr, false);
  return std::string(to_string(row.entry.event)) + " hook " + row.entry.title() + ": " + words_for(row) +
         "\n" + row.entry.source + "\n" + text.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string SessionHooks::decide(const std::string& verb, const std::string& which) {
  const auto answer = verb == "approve" ? EntryAnswer::approved
                      : verb == "grant" ? EntryAnswer::granted
                                        : EntryAnswer::refused;
  const auto count = runner_->rows().size();
  const auto number = static_cast<std::size_t>(std::strtoul(which.c_str(), nullptr, 10));
  if (which != "all" && (number == 0 || number > count))
    return "Write /hooks " + verb + " NUMBER, or all.\n\n";
  std::string wrong;
  for (std::size_t i = 0; i < count; ++i) {
    if (which == "all" && runner_->rows()[i].answer != EntryAnswer::unknown) continue;
    if (which == "all" || i + 1 == number)
      if (auto why = runner_->decide(i, answer); !why.empty()) wrong = std::move(why);
  }
  attach();
  return wrong.empty() ? "" : "This holds for this session only: " + wrong + ".\n\n";
}

std::string SessionHooks::command(const std::string& words) {
  if (!runner_)
    return "No hooks. Add yours under \"hooks\" in your own config.json, and this project's in "
           ".claude/settings.json.\n";
  std::istringstream in(words);
  std::string verb, which;
  in >> verb >> which;
  if (verb.empty()) return page();
  if (verb == "approve" || verb == "grant" || verb == "refuse") {
    const auto wrong = decide(verb, which);  // first: the page shows what it did
    return wrong + page();
  }
  const auto number = static_cast<std::size_t>(std::strtoul(verb.c_str(), nullptr, 10));
  if (number > 0 && number <= runner_->rows().size()) return details(number - 1);
  return "/hooks does not know \"" + verb + "\".\n\n" + page();
}

void SessionParts::make_hooks() {
  SessionHooks::World world;
  auto& hooks = world.hooks;
  hooks.tell = [this](Notice told) { emit(std::move(told)); };
  hooks.now = [this] { return agent_->now(); };
  hooks.wake = [this](std::string words) { hands_->notes.push(std::move(words)); };
  hooks.attend = [this](const std::function<void()>& work) { inbox_.attend(work); };
  hooks.sandbox = [this] {
    if (hands_->ready_sandbox) std::exchange(hands_->ready_sandbox, nullptr)(*hands_);
    return sandbox_within(hands_->sandbox, mode() == PermissionMode::plan ? Reach::look : Reach::workspace);
  };
  hooks.session = [this] { return opened_.id; };
  hooks.common = [this] {
    const auto folder = project_.folder.empty() ? std::string() : (project_.folder / "tern.db").string();
    return text_of({{"session_id", opened_.id},
                    {"transcript_path", folder},
                    {"cwd", workspace_->cwd().string()},
                    {"permission_mode", mode_name(mode())},
                    {"effort", {{"level", effort_name(agent_->limits.thinking)}}},
                    {"prompt_id", std::to_string(agent_->turn)}});
  };
  world.context = [this] {
    const auto& cache = context_.gauges.cache();
    const auto now = agent_->now();
    json fields{{"model", context_.model.provider + "/" + context_.model.name},
                {"context_tokens", used_of(context_)},
                {"prompt_cache_likely_expired", !cache.warm(now)}};
    if (cache.seen) fields["seconds_since_last_response"] = (now - cache.last_request).count() / 1000;
    if (context_.model.priced)
      fields["estimated_cache_write_usd"] = context_.model.dollars({.cache_write = used_of(context_)});
    return text_of(fields);
  };
  world.call_it = [this](const std::string& title) {
    if (!opened_.name.empty()) return;  // the user's own name stays
    store_->rename(title);
    opened_.name = title;
  };
  world.title = [this] { return opened_.name; };
  hooks.scratch = [this] { return hands_->spill_dir; };
  world.keep = [this](const std::string& text) {
    return to_string(store_->put_original(text, "Hook", "context"));
  };
  hooks_ = std::make_unique<SessionHooks>(setup_, workspace_->root(), trusted_, std::move(world));
  hooks_->join(*hands_, *compactor_);
}

}  // namespace tern
