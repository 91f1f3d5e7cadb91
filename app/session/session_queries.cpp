// Answers of the session: each slash command that shows something, by its name.
#include <algorithm>
#include <fstream>
#include <map>

#include "agent/compactor/hand_edits.h"
#include "agent/compactor/tuning.h"
#include "agent/helpers/helper_desk.h"
#include "agent/protocol/local_time.h"
#include "agent/store/window_history.h"
#include "agent/turn/context_tools.h"
#include "app/session/folder_notes.h"
#include "app/session/session_answers.h"
#include "app/session/session_hooks.h"
#include "app/session/session_lsp.h"
#include "app/session/session_mcp.h"
#include "app/session/session_parts.h"
#include "app/session/session_preview.h"
#include "tools/files/diff.h"
#include "tools/files/journal.h"
#include "tools/sandbox/sandbox.h"

namespace tern {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string first_sentence(std::string_view text) {
  return std::string(
      text.substr(0, std::min({text.find(". "), text.find(".\n"), text.find('\n'), text.size()})));
}

// The answer of the model's own tool without its headings and bullets.
std::string unmarked(std::string_view markdown) {
  std::string text;
  while (!markdown.empty()) {
    auto line = markdown.substr(0, markdown.find('\n'));
    markdown.remove_prefix(std::min(line.size() + 1, markdown.size()));
    if (line.starts_with("## ")) line.remove_prefix(3);
    if (line.starts_with("**") && line.ends_with("**")) line = line.substr(2, line.size() - 4);
    if (line.starts_with("- ")) text += "  ", line.remove_prefix(2);
    text.append(line).append("\n");
  }
  return text;
}

// Sandbox state: available, or unavailable with the reason.
std::string sandbox_line(const ToolEnvironment& hands) {
  const auto& support = probe_sandbox();
  if (support.rung == SandboxRung::none) return "not available: " + support.why;
  return hands.sandbox.on ? "on" : "available; commands that run without asking run in it";
}

// The messages only: system prompt and tools stay. The summary is a request of its own: it reads what leaves.
std::string half_now(const Context& context, TimePoint now) {
  const auto budget = budget_of(context);
  const auto messages =
      static_cast<Tokens>(static_cast<double>(count(context.conversation)) * budget.calibration);
  if (messages < 2'000) return "compacting to half now: there is too little to compact";
  const Tokens half = messages / 2, summary = std::min<Tokens>(half / 4, 2'000);
  TokenUsage asked;
  asked.input = half, asked.output = summary;
  const auto& cache = context.gauges.cache();
  const auto cost = cut_cost(half - summary, messages - half + summary, cache, now, context.model,
                             context.gauges.requests_per_turn(), context.model.dollars(asked));
  return "compacting to half now, with a summary by this model: " + describe(cost, cache, now);
}

std::string of_all(std::size_t part, std::size_t all) {
  return std::to_string((part * 200 + all) / (2 * all)) + "%";
}

// What each tier saved, and what it kept in the context of what stood there before.
std::vector<std::string> tier_lines(const std::vector<CompactionRecord>& rows) {
  struct Did {
    std::int64_t times = 0;
    Tokens before = 0, freed = 0;
    std::size_t specifics = 0, specifics_kept = 0, sentences = 0, sentences_kept = 0;
  };
  std::map<Tier, Did> tiers;
  Did hand;
  for (const auto& row : rows) {
    if (row.undone || row.tier == Tier::none || row.cause == Cause::returned) continue;
    auto& did = by_hand(row.cause) ? hand : tiers[row.tier];
    ++did.times;
    did.before += row.before, did.freed += row.before - row.after;
    did.specifics += row.specifics, did.specifics_kept += row.specifics_kept;
    did.sentences += row.sentences, did.sentences_kept += row.sentences_kept;
  }
  std::vector<std::string> lines;
  for (const auto& [tier, did] : tiers) {
    auto line = std::string(to_string(tier)) + ": " + counted(did.times, "time") + " · saved " +
                thousands(did.freed) + " tokens";
    if (did.before > 0)
      line += ", " + of_all(static_cast<std::size_t>(std::max<Tokens>(did.freed, 0)),
                            static_cast<std::size_t>(did.before));
    if (did.specifics > 0)
      line += " · kept " + of_all(did.specifics_kept, did.specifics) + " of names and numbers";
    if (did.sentences > 0) line += ", " + of_all(did.sentences_kept, did.sentences) + " of what was answered";
    lines.push_back(std::move(line));
  }
  if (hand.times > 0)
    lines.push_back("by hand: " + counted(hand.times, "time") + " · saved " + thousands(hand.freed) +
                    " tokens");
  return lines;
}

std::size_t snipped_results(const Conversation& conversation) {
  std::size_t n = 0;
  for (const auto& item : conversation.items)
    for (const auto& block : item->blocks) {
      const auto* result = std::get_if<ToolResult>(&block);
      n += result && result->form == ResultForm::snipped;
    }
  return n;
}

}  // namespace

void SessionQueries::answer(const Query& query) {
  std::visit([this](const auto& asked) { tell(asked); }, query);
}

void SessionQueries::answer(const Change& change) {
  std::visit([this](const auto& asked) { tell(asked); }, change);
}

void SessionQueries::tell(const Misread& misread) { s.emit(Notice{Level::warning, misread.why}); }

void SessionQueries::tell(const AskContextItems&) { s.emit(context_items(s.context_, *s.store_)); }

void SessionQueries::tell(const AskCompactionLog&) {
  s.emit(Page{"Compaction log", compaction_log_text(*s.store_)});
}

void SessionQueries::tell(const AskNotes& asked) {
  const bool offered = s.hands_->offered.with(ToolDuty::notes) != nullptr;
  const auto* way = offered ? ""
                            : "\n\nThe model keeps no notes in this session; `/config contextStyle "
                              "notes` turns them on for the next one.\n";
  s.emit(Page{"Notes", s.compactor_->notes().read(asked.name) + way, Page::Form::markdown});
}

void SessionQueries::tell(const AskHooks& asked) { s.emit(Page{"Hooks", s.hooks_->command(asked.words)}); }

void SessionQueries::tell(const AskServers& asked) {
  s.emit(Page{"MCP servers", s.mcp_->command(asked.words)});
}

void SessionQueries::tell(const AskLanguageServers& asked) {
  s.emit(Page{"Language servers", language_server_page(*s.hands_, asked.words)});
}

void SessionQueries::tell(const AskDoctor&) {
  const auto stop = s.working_ ? s.stop_.now() : s.stop_.begin();  // Esc ends one that waits for a provider
  if (s.setup_.doctor) s.emit(Page{"doctor", s.setup_.doctor(stop)});
}

void SessionQueries::tell(const MoveToBackground&) { s.jobs_->request_move(); }

void SessionQueries::tell(const AskContext& asked) {
  ContextReport report;
  report.again = asked.again;
  report.meters = read_meters(s.context_);
  report.meters.mode = s.mode();
  report.meters.branch = s.branch_;
  report.meters.cwd = s.where_.cwd;
  report.top = top_items(s.context_, 8);
  if (const auto snipped = snipped_results(s.context_.conversation))
    report.tiers.push_back("snip: " + counted(static_cast<std::int64_t>(snipped), "result") +
                           " of the context came in shortened");
  const auto rows = s.store_->compactions();
  report.history = window_history(s.store_->requests(), rows);
  for (auto& line : tier_lines(rows)) report.tiers.push_back(std::move(line));
  const auto& meters = report.meters;
  if (meters.turns_to_next >= 0)
    report.lines.push_back(
        (meters.turns_to_next == 0
             ? std::string("forecast: the next tier acts in the next turn (")
             : "forecast: about " + std::to_string(meters.turns_to_next) +
                   (meters.turns_to_next == 1 ? " turn to the next tier (" : " turns to the next tier (")) +
        thousands(s.context_.gauges.forecast().per_turn()) + " a turn)");
  if (const auto helpers = HelperDesk::totals(*s.store_); helpers.runs > 0)
    report.lines.push_back("helpers: " + counted(helpers.runs, "run") + " · explored " +
                           thousands(helpers.explored) + ", kept " + thousands(helpers.kept) +
                           (helpers.dollars > 0 ? " · " + money(helpers.dollars) : ""));
  if (auto mcp = s.mcp_->share(s.context_); !mcp.empty()) report.lines.push_back(std::move(mcp));
  report.lines.push_back(half_now(s.context_, s.agent_->now()));
  const auto status = s.compactor_->status();
  for (std::size_t at = 0; at < status.size();) {
    const auto end = std::min(status.find('\n', at), status.size());
    report.lines.push_back(status.substr(at, end - at));
    at = end + 1;
  }
  for (const auto& pin : s.store_->pins()) report.lines.push_back("pinned " + pin.kind + ": " + pin.what);
  if (!rows.empty())
    report.lines.push_back("last: " + rows.back().strategy + (rows.back().undone ? " (undone)" : "") + " · " +
                           rows.back().why + " · " + rows.back().audit);
  s.emit(std::move(report));
}

void SessionQueries::tell(const AskTuning&) { tune(false); }

void SessionQueries::tell(const ApplyTuning&) { tune(true); }

void SessionQueries::tune(bool apply) {
  std::string changes;
  const auto model = s.model_name_.provider + "/" + s.model_name_.model;
  const auto found = tuning(*s.store_, s.context_.config, model);
  auto text = tuning_text(*s.store_, s.context_.config, model, changes);
  if (apply && !changes.empty()) {
    text += '\n' + s.configure(changes);
    note_tuning(*s.store_, found);
    s.show_meters();
  } else if (!changes.empty())
    text += "\n/context tune --apply writes this to .compression/config.json.\n";
  s.emit(Page{"Tuning", std::move(text)});
}

void SessionQueries::tell(const AskStatus&) {
  std::string why;
  std::string text =
      "session   " + s.opened_.id + "  " + s.opened_.name + "\nversion   " TERN_VERSION "\nmodel     " +
      s.model_name_.provider + "/" + s.model_name_.model + "\nmode      " +
      std::string(to_string(effective_mode(s.hands_->policy, why))) + (why.empty() ? "" : "  (" + why + ")") +
      "\nfolder    " + s.where_.cwd + (s.branch_.empty() ? "" : "  git: " + s.branch_) + "\nhistory   " +
      (s.setup_.keep ? s.project_.folder.string() : "not saved (--no-session)") + "  " +
      std::to_string(s.store_->size_on_disk() / 1024) + " KB\ntrusted   " + (s.trusted_ ? "yes" : "no") +
      "\nsandbox   " + sandbox_line(*s.hands_) + "\n";
  if (const auto unsaved = s.store_->unsaved(); !unsaved.empty()) text += "store     " + unsaved + '\n';
  s.emit(Page{"Status", text + '\n' + unmarked(context_status_text(*s.agent_))});
}

// What stands above the part of the log that is on the screen.
void SessionQueries::tell(const AskEarlier& asked) {
  constexpr std::size_t entries = 4'000;  // about 1,000 turns: a tenth of a second
  const auto end =
      std::exchange(s.shown_from_, asked.all ? 0 : s.store_->screen_begin(s.shown_from_, entries));
  auto page = std::make_shared<EventPage>();
  page->events = s.store_->screen({.begin = s.shown_from_, .end = end});
  s.emit(Earlier{std::move(page), s.shown_from_ > 0});
}

void SessionQueries::tell(const AskSessions& asked) {
  const auto& words = asked.text;
  SessionList list;
  for (const auto& row : s.store_->sessions(words))
    list.sessions.push_back(
        {row.id, row.name, time_ago(row.updated), row.first_prompt, static_cast<int>(row.turns)});
  if (list.sessions.empty())
    return s.emit(Notice{Level::info, words.empty() ? "No conversations here yet."
                                                    : "No conversation here contains \"" + words + "\"."});
  s.emit(std::move(list));
}

// From the lists; its log stays, so that what it changed can still be told.
void SessionQueries::tell(const DeleteSession& deleted) {
  const auto& id = deleted.id;
  if (id == s.store_->session())
    return s.emit(Notice{Level::warning, "This conversation is open; start another with /clear first."});
  if (!s.store_->hide(id)) s.emit(Notice{Level::warning, "There is no session " + id + "."});
}

void SessionQueries::tell(const AskSessionPreview& asked) {
  s.emit(session_preview(s.project_.folder, asked.id));
}

void SessionQueries::tell(const AskSessionsElsewhere&) {
  s.emit(sessions_elsewhere(s.trust_->folders(), s.workspace_->root()));
}

void SessionQueries::tell(const AskRewindPoints&) {
  auto points = s.store_->rewind_points();
  if (points.empty()) return s.emit(Notice{Level::info, "No prompts to rewind to yet."});
  s.emit(RewindPoints{std::move(points)});
}

void SessionQueries::tell(const AskLastRequest&) {
  const auto request = s.last_request();
  s.emit(Page{"The last request",
              request.empty() ? "No request to show: the demo is scripted and sends none.\n" : request});
}

void SessionQueries::tell(const AskMemory&) {
  s.memory_ = memory_files(s.trusted_ ? s.workspace_->root() : std::filesystem::path(), s.setup_.user_memory);
  std::string text;
  for (const auto& file : s.memory_)
    text += file.path.string() + "  " + thousands(file.tokens) + " tokens" +
            (file.cut ? "  (cut at 32 KB)" : "") + '\n';
  for (const auto& [file, tokens] : folder_notes(s.context_.conversation))
    text += file + "  " + thousands(tokens) + " tokens  (joined when a tool met its folder)\n";
  if (text.empty())
    text = s.trusted_ ? "No AGENTS.md or CLAUDE.md here or above. \"# always use tabs\" starts one.\n"
                      : "This folder is not trusted: its memory files are not read.\n";
  s.emit(Page{"Memory files", std::move(text)});
}

void SessionQueries::tell(const AskTools&) {
  constexpr std::size_t longest = 16;
  std::size_t column = 0;
  for (const auto& tool : s.tools_)
    if (tool->name.size() <= longest) column = std::max(column, tool->name.size());
  std::string text;
  for (const auto& tool : s.tools_) {
    const bool on = s.hands_->offered.find(tool->name) != nullptr;
    std::string name = tool->name;
    name.resize(std::max(name.size(), column), ' ');
    const std::string line = tool->about.empty() ? first_sentence(tool->description) : tool->about;
    text += (on ? "● " : "○ ") + name + "  " + line + '\n';
  }
  s.emit(Page{"Tools",
              text + "\n● offered to the model   ○ off: \"tools.extra\" in the configuration adds it\n"});
}

// What tern has changed in this session: first image against the file as it is now.
void SessionQueries::tell(const AskDiff&) {
  std::map<std::filesystem::path, std::optional<std::string>> first;
  for (auto& change : s.journal_->changes(0, UINT64_MAX))
    first.emplace(change.path, std::move(change.before));
  std::string text;
  for (const auto& [path, before] : first) {
    const auto now = unified_diff(before.value_or(""), read_file(path));
    if (!now.text.empty())
      text += "--- " + s.workspace_->display(path) + "  " + change_note(now) + '\n' + now.text + '\n';
  }
  if (text.empty()) return s.emit(Page{"Changes of this session", "No changes yet.\n"});
  s.emit(Page{"Changes of this session", std::move(text), Page::Form::diffs});
}

}  // namespace tern
