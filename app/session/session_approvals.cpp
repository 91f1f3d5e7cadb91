// What a trusted project brings along is approved entry by entry: hooks, servers, skills, commands and
// agents, each once, and again when it has changed. One list of answers for all of them; it is the user's,
// never the folder's.
#include "app/session/session_approvals.h"

#include <algorithm>

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

std::string line_of(const BroughtEntry& entry) {
  return "- " + entry.kind + " " + entry.name + " (" + entry.source + ")\n";
}

// Fenced, so that no word of it is read as Markdown.
std::string fenced(const std::string& text) {
  std::string fence = "```";
  while (text.find(fence) != text.npos) fence += '`';
  return fence + "\n" + clipped(text, longest_shown) + "\n" + fence;
}

UserQuestion question_about_all(const std::vector<BroughtEntry>& waiting) {
  const auto count = static_cast<std::int64_t>(waiting.size());
  std::string text =
      counted(count, "thing that this folder brings waits", "things that this folder brings wait") +
      " for your approval, each new or changed:\n\n";
  for (std::size_t i = 0; i < std::min(waiting.size(), most_listed); ++i) text += line_of(waiting[i]);
  if (waiting.size() > most_listed)
    text += "- and " + std::to_string(waiting.size() - most_listed) + " more\n";
  return {.text = text + "\nUse them?",
          .options = {
              {use_all, "hooks and servers run in a sandbox"}, {one_by_one, "shows each"}, {use_none, ""}}};
}

UserQuestion question_about(const BroughtEntry& entry) {
  return {.text = "Use the " + entry.kind + " " + entry.name + "? It is from " + entry.source + ":\n\n" +
                  fenced(entry.shown),
          .options = {{use_it, ""}, {leave_out, ""}}};
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
    entries.push_back({"hook", name, hook.source, hook.hash, hook.text,
                       hook.origin == HookOrigin::imported ? fs::path("/") : root});
  }
  if (setup.mcp_project)
    for (const auto& server : project_mcp_servers(root).servers)
      entries.push_back({"MCP server", server.name, ".mcp.json", server.hash, server.shown, root});
  const auto add = [&](const char* kind, const std::string& name, const std::string& source,
                       const std::string& hash, const std::string& shown) {
    entries.push_back({kind, name, source, hash, shown, root});
  };
  for (const auto& skill : load_skills(places).skills)
    if (skill.from.of_project())
      add("skill", skill.name, skill.source, skill.hash, read_brought(skill.from, skill.file));
  for (const auto& command : load_commands(places).commands)
    if (command.of_project) add("command", "/" + command.name, command.source, command.hash, command.body);
  for (const auto& agent : load_agents(places).agents)
    if (agent.of_project) add("agent", agent.name, agent.source, agent.hash, agent.body);
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
  const auto stop = s.begin_work();
  std::string wrong;
  const auto decide = [&](const BroughtEntry& entry, bool yes) {
    if (auto why =
            approvals.decide(entry.folder, entry.hash, yes ? EntryAnswer::approved : EntryAnswer::refused);
        !why.empty())
      wrong = std::move(why);
  };
  const auto answer = SessionPlan{s}.ask(question_about_all(waiting), stop);
  if (answer.how != UserAnswer::How::chosen) return;
  for (const auto& entry : waiting) {
    if (answer.text != one_by_one) {
      decide(entry, answer.text == use_all);
      continue;
    }
    const auto one = SessionPlan{s}.ask(question_about(entry), stop);
    if (one.how != UserAnswer::How::chosen) break;
    decide(entry, one.text == use_it);
  }
  if (!wrong.empty()) s.emit(Notice{Level::warning, "These answers are not kept: " + wrong + "."});
}

// A skill's file may change while the session runs. True: its instructions are those that were approved.
bool SessionCommands::as_approved(const Skill& skill) {
  if (!skill.from.of_project() || is_unchanged(skill)) return true;
  if (!asks_for_entries(s.setup_)) return false;
  const auto text = read_brought(skill.from, skill.file);
  const BroughtEntry entry{"skill",      skill.name,
                           skill.source, brought_hash(skill.from, skill.file, text),
                           text,         s.workspace_->root()};
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
