// Answers of the session that are lists: their rows can be opened, changed and deleted.
#include <algorithm>

#include "agent/protocol/local_time.h"
#include "agent/store/compaction_text.h"
#include "agent/turn/context_tools.h"
#include "agent/turn/refusal_text.h"
#include "app/session/session_answers.h"
#include "app/session/session_parts.h"

namespace tern {
namespace {

std::string first_line(const std::string& text, std::size_t most) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) return {};
  auto line = text.substr(begin, std::min(text.find('\n', begin), begin + most) - begin);
  while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0xc0) == 0x80) line.pop_back();
  return line;
}

}  // namespace

void SessionQueries::tell(const AskTaskOutput& asked) {
  const auto& id = asked.id;
  const auto job = s.jobs_->find(id);
  if (!job) return s.emit(Notice{Level::warning, "There is no background command " + id + "."});
  auto text = s.jobs_->output(id).value_or(std::string());
  s.emit(Page{id + " · " + job->how + " · " + job->command,
              text.empty() ? "No output yet.\n" : std::move(text)});
}

void SessionQueries::tell(const AskTasks&) {
  ListShown list{ListShown::What::tasks, "Background commands", "no background commands", {}};
  for (const auto& job : s.jobs_->list())
    list.rows.push_back({job.id,
                         job.how + " · " + std::to_string(job.age.count() / 1000) + " s · " +
                             counted(static_cast<std::int64_t>(job.lines), "line"),
                         job.command});
  s.emit(std::move(list));
}

void SessionQueries::tell(const AskRules&) {
  std::string why;
  const auto mode = effective_mode(s.hands_->policy, why);
  ListShown list{ListShown::What::rules,
                 "Permissions · mode " + std::string(to_string(mode)) + (why.empty() ? "" : " (" + why + ")"),
                 "No rules. \"/permissions allow Bash(git status)\" makes one.",
                 {}};
  for (const auto& rule : s.hands_->policy.rules) {
    const auto kind = rule.kind == PermissionRule::Kind::allow ? "allow"
                      : rule.kind == PermissionRule::Kind::ask ? "ask"
                                                               : "deny";
    list.rows.push_back({rule_text(rule), kind, rule.source});
  }
  s.emit(std::move(list));
}

// The newest first, as they are looked for.
void SessionQueries::tell(const AskOriginals&) {
  constexpr std::size_t newest = 200, previewed = 80, size_column = 7;
  ListShown list{ListShown::What::originals, "Originals", "nothing stored yet", {}};
  for (const auto& original : s.store_->originals(newest)) {
    if (original.bytes == 0) continue;
    const auto begin = first_line(
        for_people(s.store_->bytes(original.id, 0, 4 * previewed).value_or(std::string())), previewed);
    auto size = thousands(static_cast<std::int64_t>(original.bytes)) + (original.bytes < 1'000 ? " B" : "B");
    size.insert(0, size.size() < size_column ? size_column - size.size() : 0, ' ');
    const auto call = original.tool + (original.subject.empty() ? "" : "  " + original.subject);
    const bool message = original.tool.empty();
    list.rows.push_back(
        {to_string(original.id), size + "  " + (message ? "\"" + begin + "\"" : call), message ? "" : begin});
  }
  s.emit(std::move(list));
}

void SessionQueries::tell(const AskOriginal& asked) {
  auto text = s.store_->text(asked.id);
  const auto name = to_string(asked.id);
  s.emit(text ? Event(Page{name, for_people(std::move(*text))})
              : Event(Notice{Level::warning, "There is no " + name + "."}));
}

void SessionQueries::tell(const SearchOriginals& asked) {
  RecallQuery query;
  query.search = asked.text;
  s.emit(Page{"Recall: " + asked.text, answer_recall(*s.store_, query)});
}

void SessionQueries::tell(const AskSettings&) {
  if (!s.working_) s.reload_config();  // what is shown is what is in force
  ListShown list{ListShown::What::settings, "Configuration", "This session keeps no configuration.", {}};
  if (s.setup_.settings)
    list.rows = s.setup_.settings(s.trusted_ ? s.project_.project : std::filesystem::path());
  s.emit(std::move(list));
}

void SessionQueries::tell(const AskSummaryAudit&) {
  s.emit(Page{"What compactions kept and lost", audit_text(*s.store_)});
}

void SessionQueries::tell(const AskSummaryTexts& asked) {
  s.emit(Page{"Summaries", summaries_text(*s.store_, asked.newest), Page::Form::markdown});
}

void SessionQueries::tell(const AskSummaries&) {
  ListShown list{ListShown::What::summaries, "Summaries", "no summaries yet", {}};
  const auto all = s.store_->summaries();
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    if (one->session != s.store_->session()) continue;
    const auto& record = one->record;
    list.rows.push_back({std::to_string(one->number),
                         local_time(record.when) + " · turns " + std::to_string(record.first_turn) + "–" +
                             std::to_string(record.last_turn) + " · " + thousands(record.before) + " → " +
                             thousands(record.after) + " tokens" + (record.undone ? " · undone" : ""),
                         record.audit});
  }
  s.emit(std::move(list));
}

// One of them; or what it kept, word by word, of the originals that it stands for.
void SessionQueries::tell(const AskSummary& asked) {
  const auto all = s.store_->summaries();
  const auto number = std::to_string(asked.number);
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.number == asked.number; });
  if (found == all.end()) return s.emit(Notice{Level::warning, "There is no summary " + number + "."});
  const auto& record = found->record;
  if (asked.compared)
    return s.emit(
        Page{"Summary " + number + " against the originals", record.audit + "\n\n" + record.audit_full});
  s.emit(Page{"Summary " + number, record.summary + "\n\n" + index_page(record.index), Page::Form::markdown});
}

}  // namespace tern
