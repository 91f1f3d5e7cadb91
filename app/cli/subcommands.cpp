#include "app/cli/subcommands.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "agent/compactor/meters.h"
#include "agent/compactor/tuning.h"
#include "agent/gate/trust.h"
#include "agent/models/models.h"
#include "agent/models/providers.h"
#include "agent/protocol/local_time.h"
#include "agent/store/export_summaries.h"
#include "agent/store/project_dir.h"
#include "agent/store/store.h"
#include "app/cli/explained_here.h"
#include "app/cli/mcp_command.h"
#include "app/cli/report_command.h"
#include "app/config/option_table.h"
#include "app/config/user_config.h"
#include "app/session/console.h"
#include "tools/sandbox/sandbox.h"
#include "tools/workspace/workspace.h"

namespace tern {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Subcommand {
  const Options& options;
  Config& config;
  ProjectDir project;
  std::unique_ptr<Store> store;  // null when there is none
};

void say(const std::string& text) { print(stdout, text); }

int complain(const std::string& text, int status = 1) {
  print(stderr, "tern: " + text + "\n");
  return status;
}

std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string argument(const Subcommand& command, std::size_t n = 0) {
  return n < command.options.arguments.size() ? command.options.arguments[n] : std::string();
}

int no_history(const Subcommand& command) {
  return complain(command.project.why.empty()
                      ? "there is no history here yet (" + command.project.project.string() + ")"
                      : command.project.why);
}

int list_sessions(Subcommand& command) {
  if (!command.store) return no_history(command);
  std::string words;
  for (const std::string& word : command.options.arguments) words += (words.empty() ? "" : " ") + word;
  Json json = Json::array();
  for (const SessionRow& row : command.store->sessions(words)) {
    json.push_back({{"id", row.id},
                    {"name", row.name},
                    {"turns", row.turns},
                    {"updated", iso_time(row.updated)},
                    {"created", iso_time(row.created)},
                    {"model", row.model},
                    {"cwd", row.cwd},
                    {"parent", row.parent},
                    {"firstPrompt", row.first_prompt}});
    if (!command.options.json)
      say(row.id + "  " + local_time(row.updated) + "  " + std::to_string(row.turns) +
          (row.turns == 1 ? " turn   " : " turns  ") + row.name + "\n");
  }
  if (command.options.json)
    say(dump(json));
  else if (json.empty())
    return complain(words.empty() ? "no sessions yet" : "no session contains \"" + words + "\"");
  else
    say("\nContinue one of them with tern --resume ID.\n");
  return 0;
}

// "r17", "r17:10-20", or words to look for.
int recall(Subcommand& command) {
  if (!command.store) return no_history(command);
  std::string wanted;
  for (const std::string& word : command.options.arguments) wanted += (wanted.empty() ? "" : " ") + word;
  if (wanted.empty()) return complain("recall needs an id or words, as in: tern recall r17:1-40", 2);
  const std::size_t colon = wanted.find(':');
  const RecallId id = parse_recall_id(wanted.substr(0, colon));
  if (id) {
    std::size_t first = 1, last = SIZE_MAX;
    if (colon != std::string::npos && std::sscanf(wanted.c_str() + colon, ":%zu-%zu", &first, &last) == 1)
      last = first;
    const auto text =
        colon == std::string::npos ? command.store->text(id) : command.store->lines(id, first, last);
    if (!text) return complain("there is no original " + to_string(id) + " in this project");
    say(*text);
    return 0;
  }
  std::string why;
  command.store->newest(why);
  const auto hits = command.store->search_originals(wanted);
  for (const OriginalHit& hit : hits) {
    say(to_string(hit.id) + ":" + std::to_string(hit.line_number) + "  " + hit.tool + " " + hit.subject +
        "\n    " + hit.line + "\n");
  }
  return hits.empty() ? complain("no original of the newest session contains \"" + wanted + "\"") : 0;
}

int show_summaries(Subcommand& command) {
  if (!command.store) return no_history(command);
  const auto all = command.store->summaries();
  if (command.options.json) {
    say(summaries_json(all, command.config.compression.summary_max_chars));
    return 0;
  }
  const std::string wanted = argument(command);
  if (!wanted.empty()) {
    const auto number = std::strtoull(wanted.c_str(), nullptr, 10);
    if (number == 0 || number > all.size())
      return complain((all.empty()       ? "no summaries yet"
                       : all.size() == 1 ? "there is one summary, number 1"
                                         : "there are " + std::to_string(all.size()) + " summaries") +
                      ("; \"" + wanted + "\" is not one of them"));
    say(summary_markdown(all[number - 1]));
    return 0;
  }
  for (const NumberedSummary& one : all) {
    const CompactionRecord& record = one.record;
    say(std::to_string(one.number) + "  " + local_time(record.when) + "  turns " +
        std::to_string(record.first_turn) + "-" + std::to_string(record.last_turn) + "  " +
        std::to_string(record.before) + " -> " + std::to_string(record.after) + " tokens  " +
        record.strategy + (record.undone ? "  (undone)" : "") + "\n");
  }
  return all.empty() ? complain("no summaries yet") : 0;
}

int compression_log(Subcommand& command) {
  const auto all = command.store->compactions(true);
  Json json = Json::array();
  for (const CompactionRecord& one : all) {
    json.push_back({{"batch", one.batch},
                    {"timestamp", iso_time(one.when)},
                    {"tier", std::string(to_string(one.tier))},
                    {"strategy", one.strategy},
                    {"cause", std::string(to_string(one.cause))},
                    {"turnRange", {one.first_turn, one.last_turn}},
                    {"messagesBefore", one.messages_before},
                    {"messagesAfter", one.messages_after},
                    {"tokensBefore", one.before},
                    {"tokensAfter", one.after},
                    {"items", one.items},
                    {"originals", one.originals},
                    {"why", one.why},
                    {"audit", one.audit},
                    {"cost", one.cost},
                    {"pauseMs", one.pause_ms},
                    {"undone", one.undone}});
    if (command.options.json) continue;
    if (one.tier == Tier::none)
      say(local_time(one.when) + "  " + one.strategy + "\n");
    else
      say(local_time(one.when) + "  " + std::string(to_string(one.tier)) + " (" + one.strategy + ")  " +
          std::to_string(one.before) + " -> " + std::to_string(one.after) + " tokens, " +
          counted(static_cast<std::int64_t>(one.items), "item") + ", " +
          counted(static_cast<std::int64_t>(one.originals), "original") + (one.undone ? "  (undone)" : "") +
          "\n");
    for (const std::string& line : {one.why, one.audit, one.cost}) {
      if (!line.empty()) say("    " + line + "\n");
    }
  }
  if (command.options.json)
    say(dump(json));
  else if (all.empty())
    say("no compactions in this session yet\n");
  return 0;
}

// What the newest session's past suggests; --apply writes it to the project's file.
int tune_context(Subcommand& command, const OpenedSession& opened) {
  auto& config = command.config.compression;
  const auto found = tuning(*command.store, config, opened.model);
  std::string changes, told;
  auto text = tuning_text(*command.store, config, opened.model, changes);
  const bool apply = argument(command, 1) == "--apply";
  bool changed = false;
  if (apply && !command.project.usable_config())
    return complain("there is no .compression folder to write settings to");
  if (apply && !changes.empty())
    told = change_project_config(command.project.project, changes, config, changed);
  if (changed) {
    std::string why;
    if (const auto store = Store::open({.folder = command.project.folder}); store->newest(why))
      note_tuning(*store, found);
    read_project_config(command.project.project, command.config);
    show_in_project_config(command.project.project, command.config);
  }
  if (command.options.json) {
    Json json = Json::array();
    for (const auto& one : found)
      json.push_back({{"key", one.key}, {"value", one.value}, {"why", one.why}, {"applied", changed}});
    say(dump(json));
    return 0;
  }
  if (apply)
    text += "\n" + told;
  else if (!changes.empty())
    text += "\ntern context tune --apply writes this to .compression/config.json\n";
  say(text);
  return apply && !changes.empty() && !changed ? 1 : 0;
}

int show_context(Subcommand& command) {
  const std::string what = argument(command);
  if (!what.empty() && what != "log" && what != "tune")
    return complain(
        "there is no \"tern context " + what + "\": tern context, tern context log, or tern context tune", 2);
  std::string why;
  const auto opened = command.store ? command.store->newest(why) : std::nullopt;
  if (!opened) return why.empty() ? no_history(command) : complain(why);
  if (what == "log") return compression_log(command);
  if (what == "tune") return tune_context(command, *opened);
  Models models;
  const auto name = models.resolve(command.config.model.empty() ? opened->model : command.config.model)
                        .value_or(ModelName{"", opened->model});
  const ModelInfo model = models.find(name.provider, name.model);
  Context context;
  context.conversation = opened->conversation;
  context.model = model;
  context.config = command.config.compression;
  load_frame(command.store->state("frame"), context);
  if (command.config.window > 0) context.window_override = command.config.window;
  context.gauges.load(command.store->state("gauges"), model);
  const Meters meters = read_meters(context);
  const double share =
      static_cast<double>(meters.used) / static_cast<double>(std::max<Tokens>(meters.limit, 1));
  Json parts = Json::object();
  for (const auto& part : meters.parts) parts[part.name] = part.tokens;
  Tokens saved = 0;
  for (const CompactionRecord& one : command.store->compactions())
    saved += one.undone ? 0 : one.before - one.after;
  const UsageTotal total = command.store->usage_total();
  Json json = {
      {"session", opened->id},
      {"name", opened->name},
      {"model", opened->model},
      {"turns", opened->turns},
      {"items", opened->conversation.items.size()},
      {"used", meters.used},
      {"limit", meters.limit},
      {"effective", meters.effective},
      {"window", meters.window},
      {"share", share},
      {"saved", saved},
      {"tiers",
       {{"micro", meters.micro_at}, {"compact", meters.compact_at}, {"truncate", meters.truncate_at}}},
      {"turnsToNextTier", meters.turns_to_next < 0 ? Json() : Json(meters.turns_to_next)},
      {"parts", parts},
      {"requests", total.requests},
      {"dollars", total.dollars}};
  if (command.options.json) return say(dump(json)), 0;
  char line[256];
  std::snprintf(line, sizeof line, "%.0f", share * 100);
  say(opened->id + "  " + opened->model + "\n" + line + "% of " + thousands(meters.limit) + " tokens, " +
      counted(static_cast<std::int64_t>(opened->conversation.items.size()), "item") + ", " +
      counted(static_cast<std::int64_t>(opened->turns), "turn") + "\n");
  for (const auto& part : meters.parts) {
    std::snprintf(line, sizeof line, "  %-10s %8lld\n", part.name.c_str(),
                  static_cast<long long>(part.tokens));
    say(line);
  }
  if (meters.turns_to_next >= 0) say("next tier in about " + counted(meters.turns_to_next, "turn") + "\n");
  say("saved by compaction " + thousands(saved) + " tokens; " +
      counted(static_cast<std::int64_t>(total.requests), "request") + ", " + money(total.dollars) + "\n");
  return 0;
}

int change_config(Subcommand& command, const std::string& key, const std::string& value) {
  const auto env = environment();
  const auto file = user_config_file(env);
  const auto kept = keep_setting(file, command.config, key, value);
  if (!kept.ok) return complain(kept.text, 2);
  say(kept.text + "\n" + shown_file(file, env("HOME")) + "\n");
  return 0;
}

int show_config(Subcommand& command) {
  std::string wanted, value;
  bool origins = false;
  for (const std::string& word : command.options.arguments) {
    if (word == "--origins")
      origins = true;
    else if (wanted.empty())
      wanted = word;
    else
      value += (value.empty() ? "" : " ") + word;
  }
  if (!value.empty()) return change_config(command, wanted, value);
  const std::string all = config_text(command.config, origins);
  std::string found, problems;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find('\n', at) + 1;
    const std::string line = all.substr(at, end - at);
    if (line.starts_with('!'))
      problems += line;  // whatever was asked for
    else if (line.find(wanted) != std::string::npos)
      found += line;
    at = end;
  }
  if (found.empty()) {
    const std::string near = nearest_word(wanted, config_keys());
    return complain("no setting is called \"" + wanted + "\"" +
                    (near.empty() ? "" : "; did you mean " + near + "?"));
  }
  say(command.options.json ? config_json(command.config, wanted) : found + problems);
  return command.config.problems.empty() ? 0 : 1;
}

int sandbox(Subcommand& command) {
  std::vector<std::string> words = {"sandbox"};
  words.insert(words.end(), command.options.arguments.begin(), command.options.arguments.end());
  if (words.size() == 1) words.emplace_back("--check");
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return sandbox_main(static_cast<int>(words.size()), argv.data());
}

// In the folder and with the rules that a session would have; what was granted in one is not among them.
int permissions(Subcommand& command) {
  const auto& words = command.options.arguments;
  if (words.size() < 2 || words.front() != "test")
    return complain("permissions needs a command to test, as in: tern permissions test 'npm test'", 2);
  std::string line;
  for (std::size_t i = 1; i < words.size(); ++i) line += (i > 1 ? " " : "") + words[i];
  say(explained_here(command.config, command.options.cwd, line));
  return 0;
}

int completion(Subcommand& command) {
  const std::string script = completion_script(argument(command));
  if (script.empty()) return complain("completion needs bash, zsh or fish", 2);
  say(script);
  return 0;
}

int help(Subcommand& command) {
  const std::string name = argument(command);
  const std::string text = name.empty() ? usage_text() : subcommand_help(name);
  if (text.empty()) return complain("there is no command \"" + name + "\": tern help lists them", 2);
  say(text);
  return 0;
}

int run(Subcommand& command) {
  static const std::map<std::string, int (*)(Subcommand&)> table = {
      {"sessions", list_sessions},
      {"recall", recall},
      {"summaries", show_summaries},
      {"context", show_context},
      {"config", show_config},
      {"sandbox", sandbox},
      {"permissions", permissions},
      {"completion", completion},
      {"doctor", [](Subcommand& l) { return run_doctor(l.options, l.config); }},
      {"man", [](Subcommand&) { return say(man_page()), 0; }},
      {"login", [](Subcommand& l) { return run_login(l.options, l.config); }},
      {"report",
       [](Subcommand& l) {
         return l.store ? run_report(*l.store, l.options.arguments, l.config) : no_history(l);
       }},
      {"logout", [](Subcommand& l) { return run_logout(l.options, l.config); }},
      {"mcp", [](Subcommand& l) { return run_mcp(l.options, l.config); }},
      {"acp", [](Subcommand& l) { return l.store.reset(), run_acp(l.options, l.config); }},
      {"help", help}};
  const auto found = table.find(command.options.subcommand);
  return found == table.end() ? complain("there is no command \"" + command.options.subcommand + "\"", 2)
                              : found->second(command);
}

// As a session decides it, so that what is shown is what would be in force.
bool trusts(const Config& config, const fs::path& folder) {
  const auto covers = [&](const auto& listed) { return is_under(listed, folder); };
  return std::any_of(config.trusted.begin(), config.trusted.end(), covers) ||
         TrustList(default_trust_file()).trusted(folder);
}

}  // namespace

int run_subcommand(const Options& options, Config config) {
  std::error_code ignored;
  const fs::path cwd = options.cwd.empty() ? fs::current_path(ignored) : fs::path(options.cwd);
  Subcommand command{options, config,
                     open_project_dir({.root = cwd, .state_dir = options.state_dir, .create = false}),
                     nullptr};
  struct stat info {};
  const fs::path file = command.project.project / "config.json";
  if (command.project.usable_config() && sets_something(file)) {
    if (trusts(config, fs::weakly_canonical(cwd, ignored)))
      for (std::string& problem : read_project_config(command.project.project, config))
        config.problems.push_back(std::move(problem));
    else
      config.problems.push_back(
          file.string() + " is not read: this folder is not trusted yet (open tern in it, or list it under " +
          "\"trusted\" in your own config.json)");
  }
  if (!command.project.folder.empty() && ::lstat((command.project.folder / "tern.db").c_str(), &info) == 0) {
    command.store = Store::open({.folder = command.project.folder, .read_only = true});
    for (const std::string& notice : command.store->notices()) print(stderr, "tern: " + notice + "\n");
  }
  return run(command);
}

}  // namespace tern
