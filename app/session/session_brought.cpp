// What people bring along, in the session: where it is looked for, and how a command of theirs becomes a
// prompt.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/compactor/prompt.h"
#include "agent/models/redact.h"
#include "app/config/config.h"
#include "app/session/session_approvals.h"
#include "app/session/session_commands.h"
#include "app/session/session_mcp.h"
#include "app/session/session_plan.h"
#include "tools/workspace/file.h"

namespace tern {
namespace {

constexpr std::uint64_t most_of_a_file = 64 * 1024;

// Above the trusted folder anybody may have left something: only what is the user's own or root's counts
// there.
bool of_user_or_root(const std::filesystem::path& folder) {
  struct stat info {};
  return ::stat(folder.c_str(), &info) == 0 && (info.st_uid == ::geteuid() || info.st_uid == 0) &&
         (info.st_mode & 0002) == 0;
}

BroughtPlaces places_of(const SessionSetup& setup, const std::filesystem::path& root, bool trusted) {
  BroughtPlaces places{.projects = {},
                       .home = setup.home,
                       .config = user_config_file(setup.env).parent_path(),
                       .plugins = setup.plugins};
  if (!trusted) return places;
  const auto repository = repository_root(root);
  for (auto folder = root; folder != folder.parent_path(); folder = folder.parent_path()) {
    if (folder == root || of_user_or_root(folder)) places.projects.push_back(folder);
    if (repository.empty() || folder == repository) break;
  }
  return places;
}

// "/name arguments"; empty when it is no such thing.
std::string_view name_in(std::string_view prompt) {
  if (!prompt.starts_with('/')) return {};
  return prompt.substr(1, std::min(prompt.find_first_of(" \n\t"), prompt.size()) - 1);
}

}  // namespace

// Where people can be asked, what they have not approved is left out; elsewhere what they have refused.
BroughtPlaces SessionCommands::places() const {
  auto places = places_of(s.setup_, s.workspace_->root(), s.trusted_);
  const bool asks = asks_for_entries(s.setup_);
  places.approved = [asks, approvals = EntryApprovals(approvals_file(approved_entries)),
                     root = s.workspace_->root()](const std::string& hash) {
    const auto answer = approvals.of(root, hash);
    return answer != EntryAnswer::refused && (!asks || answer != EntryAnswer::unknown);
  };
  return places;
}

void SessionCommands::load_brought() {
  auto& brought = s.brought_;
  brought.loaded = true;
  brought.commands = load_commands(places());
  for (const auto& problem : brought.commands.problems) s.emit(Notice{Level::warning, problem});
  tell_brought();
}

void SessionCommands::tell_brought() {
  const auto& brought = s.brought_;
  CommandList list;
  for (const auto& skill : brought.skills.skills)
    if (skill.for_user && !brought.commands.find(skill.name))
      list.commands.push_back(
          {skill.name, skill.usage, skill.description, skill.source, skill.from.of_project()});
  for (const auto& one : brought.commands.commands)
    list.commands.push_back({one.name, one.usage, one.help, one.source, one.of_project});
  s.mcp_->list(list.commands);
  s.emit(std::move(list));
}

std::string SessionCommands::begin_prompt(Submit& input, std::stop_token stop) {
  const auto name = name_in(input.text);
  if (!name.empty() && !s.brought_.loaded) load_brought();
  const auto* found = name.empty() ? nullptr : meant_by(name, s.brought_.commands.commands);
  if (!found) {
    if (!name.empty()) begin_skill(std::string(name));
    std::function<UserAnswer(const UserQuestion&)> ask;
    if (s.setup_.may_ask && s.setup_.own_words)
      ask = [&](const UserQuestion& question) { return SessionPlan{s}.ask(question); };
    return s.mcp_->fill(
        input, [&](const auto& work) { s.inbox_.attend([&] { work(stop); }); }, ask, s.hands_->spill_dir);
  }
  const auto command = *found;
  const auto arguments = input.text.substr(name.size() + 1);
  allow_tools(command);
  answer_with(command.model);
  const CommandWorld world{.run = [&](const std::string& line) { return run_for_command(line, stop); },
                           .read = [&](const std::string& path) { return read_for_command(path); }};
  input.typed = std::exchange(input.text, expand(command, arguments, world));
  return {};
}

bool SessionCommands::knows(const RunCommand& named) const {
  const auto& brought = s.brought_;
  const auto* skill = meant_by(named.name, brought.skills.skills);
  if (s.mcp_->names_prompt(named.name) || meant_by(named.name, brought.commands.commands) ||
      (skill && skill->for_user))
    return true;
  s.emit(Notice{Level::warning, "There is no command /" + named.name + ". /help lists them."});
  return false;
}

void SessionCommands::end_prompt() {
  std::erase_if(s.hands_->policy.rules,
                [](const PermissionRule& rule) { return rule.origin == RuleOrigin::command; });
  if (const auto model = std::exchange(s.brought_.model_before, std::nullopt)) s.use_model(*model);
}

// Only a command of the user's own may say what runs unasked. A project's never grants itself anything.
void SessionCommands::allow_tools(const UserCommand& command) {
  if (command.of_project) return;
  for (const auto& text : command.allowed_tools) {
    PermissionRule rule;
    std::string error;
    const std::string source(to_string(RuleOrigin::command));
    if (!parse_rule(s.tools_, text, PermissionRule::Kind::allow, source, rule, error)) {
      s.emit(Notice{Level::warning, command.source + ": allowed-tools: " + error});
      continue;
    }
    rule.origin = RuleOrigin::command;
    s.hands_->policy.rules.push_back(rule);
  }
}

// The model that a command names answers this one prompt.
void SessionCommands::answer_with(const std::string& model) {
  if (model.empty() || model == "inherit") return;
  const auto name = s.setup_.models.resolve(model);
  const auto info = name ? s.setup_.models.find(name->provider, name->model) : ModelInfo();
  const bool fits =
      name && info.window >= s.context_.window() && find_provider(name->provider) && s.connect(info);
  if (!fits)
    return s.emit(Notice{Level::info, "The command asks for the model " + model +
                                          ", which cannot be used now. " + s.model_name_.model +
                                          " answers."});
  if (*name == s.model_name_) return;
  s.brought_.model_before = s.model_name_;
  s.use_model(*name);
  s.emit(Notice{Level::info, name->provider + "/" + name->model + " answers this prompt."});
}

std::string SessionCommands::run_for_command(const std::string& line, std::stop_token stop) {
  const auto bash = s.tools_.with(ToolDuty::shell);
  if (!bash) return "[`" + line + "` was not run: there is no shell here]";
  const auto call_id = "command_" + std::to_string(s.store_->next_batch());
  auto run = s.calls_->run_for_file(bash, {{"command", line}}, call_id, stop);
  const auto shown = redact(line);
  const auto text = redact(std::move(run.output.text));
  s.emit(ToolStarted{call_id, bash->name, bash->label, shown, shown});
  s.emit(ToolFinished{.call_id = call_id,
                      .tool = bash->name,
                      .label = bash->label,
                      .subject = shown,
                      .note = run.output.note,
                      .text = text,
                      .is_error = run.output.is_error,
                      .exit_status = run.output.exit_status,
                      .milliseconds = run.cell.milliseconds,
                      .end = run.cell.end});
  if (run.refused) return "[`" + shown + "` was not run: " + run.output.note + "]";
  return text;
}

std::optional<std::string> SessionCommands::read_for_command(const std::string& path) {
  const auto place = s.workspace_->locate(path);
  if (!place.error.empty() || !place.exists || std::filesystem::is_directory(place.real)) return std::nullopt;
  const auto read = s.tools_.with(ToolDuty::reading);
  const nlohmann::json args{{"file_path", path}};
  const auto decision =
      read ? decide(s.hands_->policy, {*read, args, *s.workspace_}) : Decision(Deny{"there is no Read tool"});
  if (const auto* why = std::get_if<Ask>(&decision))
    return "[" + path + " was not read: " + why->reason + "]";
  if (const auto* why = std::get_if<Deny>(&decision))
    return "[" + path + " was not read: " + why->reason + "]";
  auto loaded = load_file(*s.workspace_, place, most_of_a_file);
  if (!loaded.error.empty()) return "[" + path + " was not read: " + loaded.error + "]";
  if (loaded.bytes.find('\0') != std::string::npos) return "[" + path + " is not a text file]";
  return redact(std::move(loaded.bytes));
}

}  // namespace tern
