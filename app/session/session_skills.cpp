// Skills in the session: named in the system prompt, put into the context when one is used, and pinned there,
// so that every compaction leaves their instructions as they are.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "agent/models/redact.h"
#include "app/session/session_commands.h"
#include "compression/values/tokens.h"

namespace tern {
namespace {

constexpr Tokens most_of_a_skill = 5'000,
                 most_of_all_skills = 25'000;  // pinned; what is more may be folded away

// The text of a skill's instructions, as put_in_skills() made the item; empty for any other.
std::string_view instructions_of(const Item& item) {
  const auto* text =
      item.synthetic && item.blocks.size() == 1 ? std::get_if<Text>(&item.blocks.front()) : nullptr;
  return text && text->text.starts_with("<skill_content ") ? std::string_view(text->text)
                                                           : std::string_view();
}

bool in_context(const Conversation& conversation, const std::string& mark) {
  return std::any_of(conversation.items.begin(), conversation.items.end(),
                     [&](const ItemPtr& item) { return instructions_of(*item).starts_with(mark); });
}

Tokens pinned_skills(const Conversation& conversation) {
  Tokens tokens = 0;
  for (const auto& item : conversation.items)
    if (item->pinned && !instructions_of(*item).empty()) tokens += item->tokens;
  return tokens;
}

}  // namespace

std::string SessionCommands::find_skills() {
  auto& skills = s.brought_.skills;
  skills = load_skills(places());
  for (const auto& problem : skills.problems) s.emit(Notice{Level::warning, problem});
  constexpr int bytes_of_a_token = 4;
  auto& agents = s.brought_.agents;
  agents = load_agents(places());
  for (const auto& problem : agents.problems) s.emit(Notice{Level::warning, problem});
  return skill_catalog(skills, static_cast<std::size_t>(s.context_.window() / 100 * bytes_of_a_token));
}

void SessionCommands::add_skill_tool() {
  if (!s.brought_.skills.any_for_model()) return;
  const auto run = [session = &s](const nlohmann::json& args, ToolContext&) {
    const auto name = args.value("skill", std::string());
    const auto* skill = meant_by(name, session->brought_.skills.skills);
    if (!skill || !skill->for_model)
      return ToolOutput{.text = "There is no skill \"" + name + "\". The system prompt lists them.",
                        .is_error = true,
                        .subject = name};
    return ToolOutput{.text = SessionCommands{*session}.use_skill(*skill, args.value("args", std::string())),
                      .subject = name};
  };
  Tool tool{
      .name = "Skill",
      .description = "Puts the instructions of a skill into the conversation.",
      .about = "Follows the instructions of a skill.",
      .schema = R"({"type":"object","properties":{"skill":{"type":"string"},"args":{"type":"string"}},)"
                R"("required":["skill"]})",
      .effects = Effect::context,
      .aliases = "name=skill arguments=args",
      .run = run,
      .subject = [](const nlohmann::json& args) { return args.value("skill", std::string()); },
      .label = {},
  };
  const auto plain = std::make_shared<const Tool>(tool);
  tool.stands_for = [session = &s, plain](nlohmann::json& args, std::string& error) -> ToolPtr {
    const auto* skill = meant_by(args.value("skill", std::string()), session->brought_.skills.skills);
    const auto& without = session->setup_.without_tools;
    const auto helper = session->tools_.with(ToolDuty::helper);
    const bool helpers = helper && std::find(without.begin(), without.end(), helper->name) == without.end();
    if (!skill || !skill->for_model || !skill->fork || !helpers) return plain;
    if (!SessionCommands{*session}.as_approved(*skill)) return plain;  // which says so
    auto content = redact(skill_content(*skill));
    if (content.empty())
      error = "The skill " + skill->name + " has no instructions any more: its file is gone or empty.";
    if (content.empty()) return nullptr;
    SessionCommands{*session}.allow_skill(*skill);
    content += "\nFollow these instructions. Arguments: " + args.value("args", std::string("none"));
    args = {{"description", "skill " + skill->name}, {"prompt", std::move(content)}};
    if (const auto* agent = meant_by(skill->agent, session->brought_.agents.agents))
      args["agent"] = agent->name;
    else
      args["tools"] = "all";  // its own gate decides on each call
    return helper;
  };
  s.tools_.add(std::move(tool));
}

void SessionCommands::begin_skill(const std::string& name) {
  const auto* skill = meant_by(name, s.brought_.skills.skills);
  if (!skill || !skill->for_user) return;
  const bool forks = skill->fork && skill->for_model;
  if (!forks) use_skill(*skill, {});
  s.hands_->notes.push("[The user asks for the skill " + skill->name +
                       (forks ? ": call the Skill tool with it.]" : ": follow its instructions.]"));
}

std::string SessionCommands::use_skill(const Skill& skill, const std::string& arguments) {
  const auto& name = skill.name;
  const auto mark = skill_mark(name);
  const auto waits = [&](const std::string& text) { return text.starts_with(mark); };
  auto& waiting = s.brought_.waiting;
  const auto asked = arguments.empty() ? std::string() : " Arguments: " + arguments;
  if (in_context(s.context_.conversation, mark) || std::any_of(waiting.begin(), waiting.end(), waits))
    return "The instructions of the skill " + name + " are in the conversation already. Follow them." + asked;
  if (!as_approved(skill))
    return "The skill " + name + " has changed and the user has not approved it. Do without it.";
  auto content = redact(skill_content(skill));
  if (content.empty())
    return "The skill " + name + " has no instructions any more: its file is gone or empty.";
  allow_skill(skill);
  waiting.push_back(std::move(content));
  return "The instructions of the skill " + name + " follow." + asked;
}

// The files of a skill of the user's own may be read, and what it names runs unasked. A project's skill
// grants nothing.
void SessionCommands::allow_skill(const Skill& skill) {
  auto& rules = s.hands_->policy.rules;
  const auto source = "the skill " + skill.name;
  if (std::any_of(rules.begin(), rules.end(), [&](const auto& rule) { return rule.source == source; }))
    return;
  if (skill.from.of_project()) return;
  rules.push_back({PermissionRule::Kind::allow, "Read", skill.folder().string() + "/**", source});
  for (const auto& text : skill.allowed_tools) {
    PermissionRule rule;
    std::string error;
    if (parse_rule(s.tools_, text, PermissionRule::Kind::allow, source, rule, error))
      rules.push_back(rule);
    else
      s.emit(Notice{Level::warning, skill.source + ": allowed-tools: " + error});
  }
}

// The skills used first are no longer pinned: compactions may fold them, and they come back whole when they
// are used again.
void SessionCommands::make_room_for_skill(Tokens tokens) {
  while (pinned_skills(s.context_.conversation) + tokens > most_of_all_skills) {
    const auto& items = s.context_.conversation.items;
    const auto oldest = std::find_if(items.begin(), items.end(), [](const ItemPtr& item) {
      return item->pinned && !instructions_of(*item).empty();
    });
    if (oldest == items.end()) return;
    const auto text = instructions_of(**oldest);
    const auto from = text.find('"') + 1;
    const auto title = "the skill " + std::string(text.substr(from, text.find('"', from) - from));
    s.compactor_->pin(s.context_, PinThis{.what = title, .on = false, .item = (*oldest)->id});
  }
}

void SessionCommands::put_in_skills() {
  for (auto& text : std::exchange(s.brought_.waiting, {})) {
    Item item;
    item.role = Role::user;
    item.synthetic = true;
    item.blocks.push_back(Text{std::move(text)});
    const auto tokens = make_item(item)->tokens;
    item.pinned = tokens <= most_of_a_skill;
    if (item.pinned) make_room_for_skill(tokens);
    append(*s.agent_, std::move(item));
  }
}

}  // namespace tern
