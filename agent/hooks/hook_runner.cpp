#include "agent/hooks/hook_runner.h"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "agent/hooks/hook_variables.h"
#include "compression/text/plain_text.h"
#include "tools/sandbox/child_env.h"
#include "tools/sandbox/sandbox.h"

namespace tern {
namespace {

namespace fs = std::filesystem;

// What the user's own words or flags brought counts as approved; a decision on it holds in every folder.
bool asks_first(HookOrigin origin) { return origin == HookOrigin::project || origin == HookOrigin::imported; }

fs::path folder_of(const HookEntry& entry, const fs::path& root) {
  return entry.origin == HookOrigin::project ? root : fs::path("/");
}

std::string shell() { return ::access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh"; }

// The event's name and fields behind the common ones.
std::string input_of(const HookCall& call, const std::string& common) {
  nlohmann::json input =
      common.empty() ? nlohmann::json::object() : nlohmann::json::parse(common, nullptr, false);
  input["hook_event_name"] = to_string(call.event);
  if (const auto own = nlohmann::json::parse(call.fields, nullptr, false); own.is_object()) input.update(own);
  return input.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::vector<ProcessSpec> specs_of(const std::vector<HookJob>& jobs) {
  std::vector<ProcessSpec> specs;
  specs.reserve(jobs.size());
  for (const auto& job : jobs) specs.push_back(job.command);
  return specs;
}

// $NAME and ${NAME} of a header, where the entry lists the name; others are empty.
std::string header_value(const std::string& text,
                         const std::function<std::string(const std::string&)>& value_of) {
  std::string filled;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      filled += text[i];
      continue;
    }
    const bool braces = i + 1 < text.size() && text[i + 1] == '{';
    const auto begin = i + (braces ? 2 : 1);
    auto end = begin;
    while (end < text.size() &&
           ((text[end] >= 'A' && text[end] <= 'Z') || (text[end] >= 'a' && text[end] <= 'z') ||
            (text[end] >= '0' && text[end] <= '9') || text[end] == '_'))
      ++end;
    if (end == begin) {
      filled += '$';
      continue;
    }
    filled += value_of(text.substr(begin, end - begin));
    i = braces && end < text.size() && text[end] == '}' ? end : end - 1;
  }
  return filled;
}

}  // namespace

HookRunner::HookRunner(HookEntries entries, EntryApprovals approvals, HookWorld world)
    : world_(std::move(world)), approvals_(std::move(approvals)), skipped_(std::move(entries.skipped)) {
  for (auto& entry : entries.entries) {
    HookRow row{.entry = std::move(entry)};
    row.answer = approvals_.of(folder_of(row.entry, world_.root), row.entry.hash);
    if (row.answer == EntryAnswer::unknown && !asks_first(row.entry.origin))
      row.answer = row.entry.own_rights ? EntryAnswer::granted : EntryAnswer::approved;
    rows_.push_back(std::move(row));
  }
}

HookRunner::~HookRunner() {
  for (auto& thread : aside_) thread.request_stop();
}

std::uint32_t HookRunner::heard() const {
  std::uint32_t heard = 0;
  for (const HookRow& row : rows_)
    if (row.answer == EntryAnswer::approved || row.answer == EntryAnswer::granted)
      heard |= Hooks::bit(row.entry.event);
  return heard;
}

std::size_t HookRunner::waiting() const {
  return static_cast<std::size_t>(std::count_if(
      rows_.begin(), rows_.end(), [](const HookRow& row) { return row.answer == EntryAnswer::unknown; }));
}

std::string HookRunner::name_of(const HookEntry& entry) const {
  return std::string(to_string(entry.event)) + " hook " + entry.title() + " (" + entry.source + ")";
}

// As it was approved: a script that has been changed since waits for the user again.
bool HookRunner::ready(HookRow& row) {
  if (row.answer != EntryAnswer::approved && row.answer != EntryAnswer::granted) return false;
  if (row.entry.origin == HookOrigin::project) {
    const auto hash = hash_of(row.entry, world_.root);
    if (hash != row.entry.hash) {
      row.entry.hash = hash;
      row.answer = approvals_.of(world_.root, hash);
      if (row.answer == EntryAnswer::unknown)
        world_.tell(Notice{Level::warning, name_of(row.entry) +
                                               " has changed and waits for your approval. /hooks shows it."});
      return ready(row);
    }
  }
  const bool bare = row.answer == EntryAnswer::approved && row.entry.kind == HookEntry::Kind::command &&
                    !sandbox_.on && row.entry.origin != HookOrigin::user;
  if (!bare) return true;
  if (warned_.insert(row.entry.hash).second)
    world_.tell(Notice{
        Level::warning,
        name_of(row.entry) + " is not run: there is no sandbox here. /hooks grant lets it run without one."});
  return false;
}

std::vector<std::size_t> HookRunner::chosen(const HookCall& call) {
  std::vector<std::size_t> chosen;
  std::set<std::string> seen;  // the same command of two files runs once
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    HookRow& row = rows_[i];
    const HookEntry& entry = row.entry;
    if (entry.event != call.event || row.spent || !matches(entry.matcher, call.subject)) continue;
    if (!entry.only_if.empty() && call.rule_hits && !call.rule_hits(entry.only_if)) continue;
    if (!ready(row)) continue;
    if (!seen.insert(entry.text).second) continue;
    row.spent = entry.once;
    chosen.push_back(i);
  }
  return chosen;
}

HookJob HookRunner::job_for(const HookRow& row, const std::string& input) const {
  const HookEntry& entry = row.entry;
  HookJob job{.command = {}, .request = {}, .input = input, .timeout = entry.timeout};
  const bool granted = row.answer == EntryAnswer::granted;
  const auto waits = (entry.status.empty() ? "Waiting" : entry.status) + " · " + name_of(entry);
  if (!entry.async) job.on_slow = [tell = world_.tell, waits] { tell(Notice{Level::info, waits}); };
  if (entry.kind == HookEntry::Kind::http) {
    auto& request = job.request.emplace();
    request.url = entry.url;
    request.headers = {{"content-type", "application/json"}};
    const auto value_of = [&](const std::string& name) {
      const bool listed =
          std::find(entry.allowed_env.begin(), entry.allowed_env.end(), name) != entry.allowed_env.end();
      const bool secret = looks_secret(name) && entry.origin == HookOrigin::project && !granted;
      return listed && !secret && world_.variable ? world_.variable(name) : std::string();
    };
    for (const auto& [name, value] : entry.headers)
      request.headers.emplace_back(name, header_value(value, value_of));
    return job;
  }
  ProcessSpec& spec = job.command;
  if (entry.exec) {
    spec.argv = {with_folders(entry.command, world_.root, entry.plugin_root)};
    for (const auto& arg : entry.args) spec.argv.push_back(with_folders(arg, world_.root, entry.plugin_root));
  } else {
    spec.argv = {shell(), "-c", entry.command};
  }
  spec.cwd = world_.root;
  spec.env = world_.env;
  set_variable(spec.env, "CLAUDE_PROJECT_DIR=" + world_.root.string());
  if (world_.session) set_variable(spec.env, "CLAUDE_CODE_SESSION_ID=" + world_.session());
  if (!entry.plugin_root.empty()) set_variable(spec.env, "CLAUDE_PLUGIN_ROOT=" + entry.plugin_root.string());
  if (const auto file = env_file_of(row); !file.empty())
    set_variable(spec.env, "CLAUDE_ENV_FILE=" + file.string());
  if (granted || !sandbox_.on) return job;
  spec.sandbox = sandbox_;
  if (!spec.sandbox.temp.empty()) set_variable(spec.env, "TMPDIR=" + spec.sandbox.temp.string());
  fit_environment(spec.env, spec.sandbox);
  return job;
}

// A script that was written without a sandbox in mind often fails for want of the network or of a folder
// elsewhere: said once.
std::string HookRunner::ways_out(const HookRow& row) {
  const bool walled =
      sandbox_.on && row.answer == EntryAnswer::approved && row.entry.kind == HookEntry::Kind::command;
  if (!walled || !hinted_.insert(row.entry.hash).second) return {};
  return "\nIt ran in the sandbox, where it can't connect or write outside of the project. /hooks grant "
         "NUMBER runs it outside.";
}

// What one handler says counts as far as its entry may decide: that something runs unasked is not for a
// project to say.
HookAnswer HookRunner::take(std::size_t which, const HookOutcome& outcome) {
  HookRow& row = rows_[which];
  auto said = said_by(row.entry, outcome);
  row.last = HookRow::Last{world_.now ? world_.now() : TimePoint(), outcome.took, said.shown};
  if (!said.failure.empty())
    world_.tell(Notice{Level::warning, name_of(row.entry) + ": " + said.failure + ways_out(row)});
  if (!said.message.empty()) world_.tell(Notice{Level::info, said.message + " (" + name_of(row.entry) + ")"});
  auto& answer = said.answer;
  if (answer.word == HookWord::allow && row.entry.origin == HookOrigin::project &&
      row.answer != EntryAnswer::granted) {
    answer.word = HookWord::none;
    answer.permissions.clear();
  }
  if (answer.word != HookWord::none || answer.blocked || answer.ends_turn)
    answer.by = row.entry.title() + " (" + row.entry.source + ")";
  return std::move(answer);
}

// False: nobody hears it.
bool HookRunner::begin(const HookCall& call) {
  collect();
  if ((heard() & Hooks::bit(call.event)) == 0) return false;
  sandbox_ = world_.sandbox ? world_.sandbox() : Sandbox();
  return true;
}

HookAnswer HookRunner::ask(const HookCall& call, std::stop_token stop) {
  HookAnswer all;
  if (!begin(call)) return all;
  auto rows = chosen(call);
  if (rows.empty()) return all;
  const auto input = input_of(call, world_.common ? world_.common() : std::string());
  const auto is_aside = [&](std::size_t i) { return rows_[i].entry.async; };
  const auto waits =
      std::stable_partition(rows.begin(), rows.end(), [&](std::size_t i) { return !is_aside(i); });
  begin_aside({waits, rows.end()}, input);
  rows.erase(waits, rows.end());
  std::vector<HookJob> jobs;
  jobs.reserve(rows.size());
  for (const auto i : rows) jobs.push_back(job_for(rows_[i], input));
  if (jobs.empty()) return all;
  std::vector<HookOutcome> outcomes;
  const auto specs = call.event == HookEvent::session_start ? specs_of(jobs) : std::vector<ProcessSpec>();
  world_.attend([&] { outcomes = world_.run(std::move(jobs), stop); });
  for (std::size_t i = 0; i < rows.size(); ++i) join(all, take(rows[i], outcomes[i]));
  for (std::size_t i = 0; i < specs.size(); ++i) take_variables(rows_[rows[i]], specs[i], all, stop);
  return all;
}

// Where a hook that hears the start of a session writes the variables it sets.
std::filesystem::path HookRunner::env_file_of(const HookRow& row) const {
  const bool sets = row.entry.event == HookEvent::session_start &&
                    row.entry.kind == HookEntry::Kind::command && !row.entry.async;
  const auto folder = !sandbox_.temp.empty() || !world_.scratch ? sandbox_.temp : world_.scratch();
  if (!sets || folder.empty()) return {};
  return folder / ("hook-env-" + std::to_string(&row - rows_.data()));
}

void HookRunner::take_variables(const HookRow& row, const ProcessSpec& spec, HookAnswer& all,
                                std::stop_token stop) {
  const auto file = env_file_of(row);
  const auto lines = file.empty() ? std::string() : take_lines(file);
  if (lines.empty() || stop.stop_requested()) return;
  if (asks_first(row.entry.origin) && row.answer != EntryAnswer::granted) {
    if (warned_.insert(row.entry.hash).second)
      world_.tell(Notice{Level::warning, name_of(row.entry) +
                                             " sets variables for commands. They apply only once it "
                                             "runs outside the sandbox: /hooks grant NUMBER."});
    return;
  }
  std::vector<HookJob> jobs;
  jobs.push_back(job_reading(lines, spec));
  std::vector<HookOutcome> outcomes;
  world_.attend([&] { outcomes = world_.run(std::move(jobs), stop); });
  for (auto& one : variables_in(outcomes.front().out, spec.env)) set_variable(all.variables, one);
}

void HookRunner::ask_aside(const HookCall& call) {
  if (!begin(call)) return;
  auto rows = chosen(call);
  if (!rows.empty())
    begin_aside(std::move(rows), input_of(call, world_.common ? world_.common() : std::string()));
}

void HookRunner::begin_aside(std::vector<std::size_t> rows, const std::string& input) {
  for (const auto i : rows) {
    std::vector<HookJob> jobs;
    jobs.push_back(job_for(rows_[i], input));
    const auto when = world_.now ? world_.now() : TimePoint();
    aside_.emplace_back([this, i, when, entry = rows_[i].entry, jobs = std::move(jobs), run = world_.run,
                         wake = world_.wake, name = name_of(rows_[i].entry)](std::stop_token stop) mutable {
      const auto outcome = run(std::move(jobs), stop).front();
      const auto said = said_by(entry, outcome);
      if (entry.wakes && said.answer.blocked) wake("[The " + name + " says: " + said.answer.reason + "]");
      const std::lock_guard lock(mutex_);
      ended_.push_back({i, {when, outcome.took, said.shown}, std::this_thread::get_id()});
    });
  }
}

// What ran aside and has ended.
void HookRunner::collect() {
  std::vector<Ended> ended;
  {
    const std::lock_guard lock(mutex_);
    ended = std::exchange(ended_, {});
  }
  for (auto& one : ended) {
    rows_[one.row].last = std::move(one.last);
    std::erase_if(aside_, [&](const std::jthread& thread) { return thread.get_id() == one.thread; });
  }
}

const std::vector<HookRow>& HookRunner::rows() {
  collect();
  return rows_;
}

std::string HookRunner::decide(std::size_t which, EntryAnswer answer) {
  if (which >= rows_.size()) return "there is no such hook";
  HookRow& row = rows_[which];
  if (row.entry.origin == HookOrigin::project)
    row.entry.hash = hash_of(row.entry, world_.root);  // as it is now
  row.answer = answer;
  return approvals_.decide(folder_of(row.entry, world_.root), row.entry.hash, answer);
}

}  // namespace tern
