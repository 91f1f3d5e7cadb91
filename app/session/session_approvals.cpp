// What a trusted project brings along is approved entry by entry: hooks, servers, skills, commands and
// agents, each once, and again when it has changed. One list of answers for all of them; it is the user's,
// never the folder's.
#include "app/session/session_approvals.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/hooks/hook_entry.h"
#include "app/session/session_hooks.h"
#include "app/session/session_mcp.h"
#include "app/session/session_plan.h"
#include "compression/text/figures.h"
#include "compression/text/lines.h"

namespace tern {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_listed = 30;       // in one question
constexpr std::size_t longest_shown = 4'000;  // characters of an entry
constexpr const char* use_all = "use all of them";
constexpr const char* one_by_one = "decide one by one";
constexpr const char* use_none = "use none of them";
constexpr const char* use_it = "use it";
constexpr const char* leave_out = "leave it out";
constexpr const char* use_rest = "use all that are left";
constexpr const char* leave_rest = "leave out all that are left";

std::string name_of(BroughtKind kind) {
  constexpr const char* names[] = {"hook", "MCP server", "skill", "command", "agent"};
  return names[static_cast<std::size_t>(kind)];
}

std::string line_of(const BroughtEntry& entry) {
  return "- " + name_of(entry.kind) + " " + entry.name + " (" + entry.source + ")\n";
}

bool runs_programs(const BroughtEntry& entry) {
  return entry.kind == BroughtKind::hook || entry.kind == BroughtKind::server;
}

// Fenced, so that no word of it is read as Markdown.
std::string fenced(const std::string& text) {
  std::string fence = "```";
  while (text.find(fence) != text.npos) fence += '`';
  return fence + "\n" + clipped(text, longest_shown) + "\n" + fence;
}

// "10 hooks, 3 skills and 1 command", in the order in which they are listed.
std::string kinds_of(const std::vector<BroughtEntry>& entries) {
  std::vector<std::string> parts;
  for (auto entry = entries.begin(); entry != entries.end();) {
    const auto next =
        std::find_if(entry, entries.end(), [&](const auto& e) { return e.kind != entry->kind; });
    parts.push_back(counted(next - entry, name_of(entry->kind)));
    entry = next;
  }
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

std::string bringer_of(const std::vector<BroughtEntry>& entries) {
  const auto elsewhere = [](const BroughtEntry& entry) { return entry.folder == "/"; };
  if (std::none_of(entries.begin(), entries.end(), elsewhere)) return "This folder brings";
  const auto file = std::find_if(entries.begin(), entries.end(), elsewhere)->source;
  if (std::all_of(entries.begin(), entries.end(), elsewhere)) return "Your " + file + " brings";
  return "This folder and your " + file + " bring";
}

UserQuestion question_about_all(const std::vector<BroughtEntry>& waiting) {
  const bool programs = std::any_of(waiting.begin(), waiting.end(), runs_programs);
  const bool words = !std::all_of(waiting.begin(), waiting.end(), runs_programs);
  std::string text = bringer_of(waiting) + " " + kinds_of(waiting) + " that " +
                     (waiting.size() == 1 ? "is new or has changed." : "are new or have changed.");
  if (programs) text += " Hooks and servers run programs.";
  if (words) text += " Skills, commands and agents tell the model what to do.";
  text += "\n\n";
  for (std::size_t i = 0; i < std::min(waiting.size(), most_listed); ++i) text += line_of(waiting[i]);
  if (waiting.size() > most_listed)
    text += "- and " + std::to_string(waiting.size() - most_listed) + " more\n";
  return {.text = text + "\nUse them?",
          .options = {{use_all, programs ? "hooks and servers run in a sandbox" : ""},
                      {one_by_one, "shows what each one does"},
                      {use_none, "until they change"}},
          .own_words = false};
}

UserQuestion question_about(const BroughtEntry& entry, std::size_t left = 0) {
  UserQuestion question{.text = "Use the " + name_of(entry.kind) + " " + entry.name + "? It is from " +
                                entry.source + ":\n\n" + fenced(entry.shown),
                        .options = {{use_it, ""}, {leave_out, ""}},
                        .own_words = false};
  if (left == 0) return question;
  question.options.push_back({use_rest, "it and " + std::to_string(left) + " more"});
  question.options.push_back({leave_rest, "it and " + std::to_string(left) + " more"});
  return question;
}

}  // namespace

bool asks_for_entries(const SessionSetup& setup) {
  return setup.may_ask && setup.own_words && setup.asks_trust && !setup.read_only;
}

std::vector<BroughtEntry> entries_of_project(const SessionSetup& setup, const fs::path& root,
                                             const BroughtPlaces& places) {
  std::vector<BroughtEntry> entries;
  for (const auto& hook : find_hooks(setup, root, true).entries) {
    const bool asked = hook.origin == HookOrigin::project || hook.origin == HookOrigin::imported;
    if (!asked) continue;
    const auto name = std::string(to_string(hook.event)) + ": " + hook.title();
    const auto shown = nlohmann::json::parse(hook.text, nullptr, false);
    entries.push_back({BroughtKind::hook, name, hook.source, hook.hash,
                       shown.dump(2, ' ', false, nlohmann::json::error_handler_t::replace),
                       hook.origin == HookOrigin::imported ? fs::path("/") : root});
  }
  if (setup.mcp_project)
    for (const auto& server : project_mcp_servers(root).servers)
      entries.push_back({BroughtKind::server, server.name, ".mcp.json", server.hash, server.shown, root});
  const auto add = [&](BroughtKind kind, const std::string& name, const std::string& source,
                       const std::string& hash, const std::string& shown) {
    entries.push_back({kind, name, source, hash, shown, root});
  };
  for (const auto& skill : load_skills(places).skills)
    if (skill.from.of_project())
      add(BroughtKind::skill, skill.name, skill.source, skill.hash, read_brought(skill.from, skill.file));
  for (const auto& command : load_commands(places).commands)
    if (command.of_project)
      add(BroughtKind::command, "/" + command.name, command.source, command.hash, command.body);
  for (const auto& agent : load_agents(places).agents)
    if (agent.of_project) add(BroughtKind::agent, agent.name, agent.source, agent.hash, agent.body);
  return entries;
}

// Nothing of it has run or been read by the model when this asks. Without an answer it is asked at the next
// start.
void SessionCommands::ask_for_entries() {
  if (!s.trusted_ || !asks_for_entries(s.setup_)) return;
  auto places = this->places();
  places.approved = nullptr;
  EntryApprovals approvals(approvals_file(approved_entries));
  auto waiting = entries_of_project(s.setup_, s.workspace_->root(), places);
  std::erase_if(waiting, [&](const BroughtEntry& entry) {
    return approvals.of(entry.folder, entry.hash) != EntryAnswer::unknown;
  });
  if (waiting.empty()) return;
  const auto stop = s.stop_.begin();
  std::string wrong;
  const auto decide = [&](const BroughtEntry& entry, bool yes) {
    if (auto why =
            approvals.decide(entry.folder, entry.hash, yes ? EntryAnswer::approved : EntryAnswer::refused);
        !why.empty())
      wrong = std::move(why);
  };
  const auto answer = SessionPlan{s}.ask(question_about_all(waiting), stop);
  if (answer.how != UserAnswer::How::chosen) return;
  auto word = answer.text;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (word != use_all && word != use_none && word != use_rest && word != leave_rest) {
      const auto one = SessionPlan{s}.ask(question_about(waiting[i], waiting.size() - i - 1), stop);
      if (one.how != UserAnswer::How::chosen) break;
      word = one.text;
    }
    decide(waiting[i], word == use_all || word == use_it || word == use_rest);
  }
  if (!wrong.empty()) s.emit(Notice{Level::warning, "These answers were not saved: " + wrong + "."});
}

// A skill's file may change while the session runs. True: its instructions are those that were approved.
bool SessionCommands::as_approved(const Skill& skill) {
  if (!skill.from.of_project() || is_unchanged(skill)) return true;
  if (!asks_for_entries(s.setup_)) return false;
  const auto text = read_brought(skill.from, skill.file);
  const BroughtEntry entry{
      BroughtKind::skill,  skill.name, skill.source, brought_hash(skill.from, skill.file, text), text,
      s.workspace_->root()};
  EntryApprovals approvals(approvals_file(approved_entries));
  if (const auto said = approvals.of(entry.folder, entry.hash); said != EntryAnswer::unknown)
    return said != EntryAnswer::refused;
  auto question = question_about(entry);
  question.text = "It has changed since you approved it. " + question.text;
  const auto answer = SessionPlan{s}.ask(question);
  const bool yes = answer.how == UserAnswer::How::chosen && answer.text == use_it;
  approvals.decide(entry.folder, entry.hash, yes ? EntryAnswer::approved : EntryAnswer::refused);
  return yes;
}

}  // namespace tern
