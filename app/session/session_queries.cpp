// Answers of the session: each slash command that shows something, by its name.
#include <algorithm>
#include <fstream>
#include <map>

#include "agent/context_tools.h"
#include "agent/local_time.h"
#include "app/session_commands.h"
#include "tools/diff.h"
#include "tools/journal.h"
#include "tools/sandbox.h"

namespace tern {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string first_sentence(std::string_view text) {
  return std::string(text.substr(0, std::min({text.find(". "), text.find(".\n"), text.find('\n'), text.size()})));
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

// Whether commands run in it, and where they could not why.
std::string sandbox_line(const Hands& hands) {
  const auto& support = probe_sandbox();
  if (support.rung == SandboxRung::none) return "not available: " + support.why;
  return hands.sandbox.on ? "on" : "available; the mode \"auto\" runs commands in it";
}

// The messages only: system prompt and tools stay. The summary is a request of its own: it reads what leaves.
std::string half_now(const Context& context, TimePoint now) {
  const auto budget = budget_of(context);
  const auto messages = static_cast<Tokens>(static_cast<double>(count(context.conversation)) * budget.calibration);
  if (messages < 2'000) return "a compaction to half now: too little is there for one";
  const Tokens half = messages / 2, summary = std::min<Tokens>(half / 4, 2'000);
  TokenUsage asked;
  asked.input = half, asked.output = summary;
  const auto& cache = context.gauges.cache();
  const auto cost = cut_cost(half - summary, messages - half + summary, cache, now, context.model,
                             context.gauges.requests_per_turn(), context.model.dollars(asked));
  return "a compaction to half now, its summary by this model: " + describe(cost, cache, now);
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

bool SessionQueries::answer(const Query& query) {
  using Q = SessionQueries;
  using Words = const std::string&;
  const auto& [name, argument] = query;
  static const std::map<std::string, void (*)(Q&, Words)> table = {
      {"context", [](Q& q, Words a) { q.context(a == "again"); }},
      {"context log",
       [](Q& q, Words) {
         q.s.emit(Page{"Compression log", compaction_log_text(*q.s.store_)});
       }},
      {"context tune", [](Q& q, Words a) { q.tune(a); }},
      {"summaries", [](Q& q, Words a) { q.summaries(a); }},
      {"recall", [](Q& q, Words a) { q.recall(a); }},
      {"config", [](Q& q, Words a) { q.config(a); }},
      {"cost", [](Q& q, Words) { q.cost(); }},
      {"status", [](Q& q, Words) { q.status(); }},
      {"tasks", [](Q& q, Words) { q.tasks(); }},
      {"draft ended", [](Q& q, Words) { q.draft_ended(); }},
      {"settings changed", [](Q& q, Words) { q.settings_changed(); }},
      {"task ended", [](Q& q, Words a) { q.task_ended(a); }},
      {"memory", [](Q& q, Words) { q.memory(); }},
      {"permissions", [](Q& q, Words a) { a.empty() ? q.permissions() : q.add_rule(a); }},
      {"add-dir", [](Q& q, Words a) { q.add_dir(a); }},
      {"tools", [](Q& q, Words) { q.tools(); }},
      {"models", [](Q& q, Words) { q.models(); }},
      {"model", [](Q& q, Words) { q.models(); }},
      {"diff", [](Q& q, Words) { q.diff(); }},
      {"earlier", [](Q& q, Words a) { q.earlier(a == "all"); }},
      {"debug", [](Q& q, Words) { q.debug(); }},
      {"export", [](Q& q, Words a) { q.export_conversation(a); }},
      {"rewind", [](Q& q, Words) { q.rewind_points(); }},
      {"sessions", [](Q& q, Words a) { q.sessions(a); }},
  };
  if (const auto found = table.find(name); found != table.end()) {
    found->second(*this, argument);
    return true;
  }
  const auto stop = s.working_ ? s.stop_.get_token() : s.begin_work();  // Esc ends a doctor that waits for a provider
  auto text = s.setup_.page ? s.setup_.page(name, stop) : std::string();
  if (text.empty()) return false;
  s.emit(Page{name, std::move(text)});
  return true;
}

void SessionQueries::context(bool again) {
  ContextReport report;
  report.again = again;
  report.meters = read_meters(s.context_);
  report.meters.mode = s.mode();
  report.meters.branch = s.branch_;
  report.meters.cwd = s.where_.cwd;
  report.top = top_items(s.context_, 8);
  if (const auto snipped = snipped_results(s.context_.conversation))
    report.tiers.push_back("snip: " + counted(static_cast<std::int64_t>(snipped), "result") +
                           " of the context came in shortened");
  std::map<Tier, std::pair<int, Tokens>> did;
  const auto rows = s.store_->compactions();
  for (const auto& row : rows) {
    if (row.undone || row.tier == Tier::none) continue;
    ++did[row.tier].first;
    did[row.tier].second += row.before - row.after;
  }
  for (const auto& [tier, count] : did)
    report.tiers.push_back(std::string(to_string(tier)) + ": " + std::to_string(count.first) + "× · " + thousands(count.second) +
                           " tokens freed");
  const auto& meters = report.meters;
  if (meters.turns_to_next >= 0)
    report.lines.push_back((meters.turns_to_next == 0
                                ? std::string("forecast: the next tier acts in the next turn (")
                                : "forecast: about " + std::to_string(meters.turns_to_next) +
                                      (meters.turns_to_next == 1 ? " turn to the next tier (" : " turns to the next tier (")) +
                           thousands(s.context_.gauges.forecast().per_turn()) + " a turn)");
  report.lines.push_back(half_now(s.context_, s.agent_->now()));
  const auto status = s.compactor_->status();
  for (std::size_t at = 0; at < status.size();) {
    const auto end = std::min(status.find('\n', at), status.size());
    report.lines.push_back(status.substr(at, end - at));
    at = end + 1;
  }
  for (const auto& pin : s.store_->pins()) report.lines.push_back("pinned " + pin.kind + ": " + pin.what);
  if (!rows.empty())
    report.lines.push_back("last: " + rows.back().strategy + (rows.back().undone ? " (taken back)" : "") + " · " +
                           rows.back().why + " · " + rows.back().audit);
  s.emit(std::move(report));
}

void SessionQueries::tune(const std::string& argument) {
  std::string changes;
  auto text = tuning_text(*s.store_, s.context_.config, s.model_name_.provider + "/" + s.model_name_.model, changes);
  if (argument == "--apply" && !changes.empty() && s.setup_.configure)
    text += '\n' + s.setup_.configure(s.project_.project, changes, s.context_.config), s.show_meters();
  else if (!changes.empty())
    text += "\n/context tune --apply writes this to .compression/config.json.\n";
  s.emit(Page{"Tuning", std::move(text)});
}

void SessionQueries::recall(const std::string& argument) {
  RecallQuery query;
  if (parse_recall_id(argument))
    query.id = argument;
  else
    query.search = argument;
  if (argument.empty()) {
    std::string text;
    for (const auto& original : s.store_->originals(200)) {
      if (original.bytes == 0) continue;
      auto row = to_string(original.id);
      row.resize(std::max<std::size_t>(row.size() + 1, 6), ' ');
      row += original.tool.empty() ? "message" : original.tool;
      text += row + (original.subject.empty() ? "" : "  " + original.subject) + " · " +
              counted(static_cast<std::int64_t>(original.bytes), "byte") + "\n";
    }
    return s.emit(Page{"Originals", text.empty() ? "Nothing is stored yet.\n" : text});
  }
  if (!query.id.empty()) {
    auto text = s.store_->text(parse_recall_id(argument));
    return s.emit(text ? Event(Page{argument, std::move(*text)})
                       : Event(Notice{Level::warning, "There is no " + argument + "."}));
  }
  s.emit(Page{"Recall: " + argument, answer_recall(*s.store_, query)});
}

void SessionQueries::cost() {
  const auto total = s.store_->usage_total();
  std::string text =
      "requests      " + std::to_string(total.requests) + "\ninput         " + std::to_string(total.input) + "\ncache read    " +
      std::to_string(total.cache_read) + "\ncache write   " + std::to_string(total.cache_write) + "\noutput        " +
      std::to_string(total.output) + "\ndollars       " +
      (s.context_.gauges.dollars_known() ? money(total.dollars) : money(total.dollars) + " and what unpriced models cost") + '\n';
  s.emit(Page{"Cost", std::move(text)});
}

void SessionQueries::status() {
  std::string why;
  std::string text = "session   " + s.opened_.id + "  " + s.opened_.name + "\nversion   " TERN_VERSION "\nmodel     " +
                     s.model_name_.provider + "/" + s.model_name_.model + "\nmode      " +
                     std::string(to_string(effective_mode(s.hands_->policy, why))) + (why.empty() ? "" : "  (" + why + ")") +
                     "\nfolder    " + s.where_.cwd + (s.branch_.empty() ? "" : "  git: " + s.branch_) + "\nhistory   " +
                     (s.setup_.keep ? s.project_.folder.string() : "not kept (--no-session)") + "  " +
                     std::to_string(s.store_->size_on_disk() / 1024) + " KB\ntrusted   " + (s.trusted_ ? "yes" : "no") +
                     "\nsandbox   " + sandbox_line(*s.hands_) + "\n";
  if (const auto unsaved = s.store_->unsaved(); !unsaved.empty()) text += "store     " + unsaved + '\n';
  s.emit(Page{"Status", text + '\n' + unmarked(context_status_text(*s.agent_))});
}

void SessionQueries::tasks() {
  std::string text;
  for (const auto& job : s.jobs_->list())
    text += job.id + "  " + job.how + "  " + std::to_string(job.age.count() / 1000) + " s  " +
            counted(static_cast<std::int64_t>(job.lines), "line") + "  " + job.command + '\n';
  s.emit(Page{"Background commands", text.empty() ? "None.\n" : text});
}

// Said by the thread that watches them, so that what the status line says of tasks stays true.
void SessionQueries::task_ended(const std::string& what) {
  s.journal_->settle(*s.workspace_, *s.jobs_);
  s.emit(Notice{Level::info, what});
  s.show_meters();
}

// Said by the draft's own thread, so that the status line does not speak of drafting when that is over.
void SessionQueries::draft_ended() {
  if (!s.working_) s.compactor_->keep_draft(s.context_);
  s.show_meters();
}

// Said by the thread that watches the project's settings.
void SessionQueries::settings_changed() {
  s.config_seen_ = std::filesystem::file_time_type::min();  // two changes may bear one time
  s.reload_config();
  s.show_meters();
}

// What stands above the part of the log that is on the screen.
void SessionQueries::earlier(bool all) {
  constexpr std::size_t entries = 4'000;  // about 1,000 turns: a tenth of a second
  const auto end = std::exchange(s.shown_from_, all ? 0 : s.store_->screen_begin(s.shown_from_, entries));
  auto page = std::make_shared<EventPage>();
  page->events = s.store_->screen({.begin = s.shown_from_, .end = end});
  s.emit(Earlier{std::move(page), s.shown_from_ > 0});
}

void SessionQueries::summaries(const std::string& how_many) {
  if (how_many == "audit") return s.emit(Page{"Loss audit", audit_text(*s.store_)});
  const auto count = how_many.empty() ? 10 : std::strtoul(how_many.c_str(), nullptr, 10);
  if (count == 0 || how_many.find_first_not_of("0123456789") != std::string::npos)
    return s.emit(Notice{Level::warning, "/summaries [how many | audit]: \"" + how_many + "\" is no number of summaries."});
  s.emit(Page{"Summaries", summaries_text(*s.store_, count), Page::Form::markdown});
}

void SessionQueries::sessions(const std::string& words) {
  SessionList list;
  for (const auto& row : s.store_->sessions(words))
    list.sessions.push_back({row.id, row.name, local_time(row.updated), row.first_prompt, static_cast<int>(row.turns)});
  if (list.sessions.empty())
    return s.emit(
        Notice{Level::info, "No conversation is kept here yet" + (words.empty() ? "." : " that holds \"" + words + "\".")});
  s.emit(std::move(list));
}

void SessionQueries::rewind_points() {
  auto points = s.store_->rewind_points();
  if (points.empty()) return s.emit(Notice{Level::info, "There is no prompt yet to go back to."});
  s.emit(RewindPoints{std::move(points)});
}

void SessionQueries::debug() {
  const auto request = s.last_request();
  s.emit(Page{"The last request", request.empty() ? "There is none: the demo is a script and sends nothing.\n" : request});
}

void SessionQueries::memory() {
  std::string text;
  for (const auto& file : s.memory_)
    text += file.path.string() + "  " + thousands(file.tokens) + " tokens" + (file.cut ? "  (cut at 32 KB)" : "") + '\n';
  if (text.empty())
    text = s.trusted_ ? "No AGENTS.md or CLAUDE.md here or above. \"# always use tabs\" starts one.\n"
                      : "This folder is not trusted: its memory files are not read.\n";
  s.emit(Page{"Memory files", std::move(text)});
}

void SessionQueries::permissions() {
  std::string why;
  std::string text =
      "mode: " + std::string(to_string(effective_mode(s.hands_->policy, why))) + (why.empty() ? "" : " (" + why + ")") + "\n\n";
  for (const auto& rule : s.hands_->policy.rules) {
    const auto* kind = rule.kind == PermissionRule::Kind::allow  ? "allow  "
                       : rule.kind == PermissionRule::Kind::deny ? "deny   "
                                                                 : "ask    ";
    text += kind + to_string(rule) + "  (" + rule.source + ")\n";
  }
  if (s.hands_->policy.rules.empty()) text += "No rules. \"/permissions allow Bash(git status)\" makes one.\n";
  s.emit(Page{"Permissions", std::move(text)});
}

void SessionQueries::tools() {
  std::string text;
  for (const auto* tool : all_tools()) {
    const bool on = std::find(s.hands_->offered.begin(), s.hands_->offered.end(), tool) != s.hands_->offered.end();
    std::string name(tool->name);
    name.resize(std::max<std::size_t>(name.size(), 10), ' ');  // one column of descriptions
    text += (on ? "● " : "○ ") + name + "  " + first_sentence(tool->description) + '\n';
  }
  s.emit(Page{"Tools", text + "\n● offered to the model   ○ off: \"tools.extra\" in the configuration adds it\n"});
}

void SessionQueries::models() {
  std::string text = "now: " + s.model_name_.provider + "/" + s.model_name_.model + "\n\n";
  for (const auto& name : s.setup_.models.names()) text += name + '\n';
  s.emit(Page{"Models", text + "\nAny other one: /model provider/name\n"});
}

// What tern has changed in this session: first image against the file as it is now.
void SessionQueries::diff() {
  std::map<std::filesystem::path, std::optional<std::string>> first;
  for (auto& change : s.journal_->changes(0, UINT64_MAX)) first.emplace(change.path, std::move(change.before));
  std::string text;
  for (const auto& [path, before] : first) {
    const auto now = unified_diff(before.value_or(""), read_file(path));
    if (!now.text.empty()) text += "--- " + s.workspace_->display(path) + "  " + change_note(now) + '\n' + now.text + '\n';
  }
  if (text.empty()) return s.emit(Page{"Changes of this session", "Nothing has been changed.\n"});
  s.emit(Page{"Changes of this session", std::move(text), Page::Form::diffs});
}

}  // namespace tern
