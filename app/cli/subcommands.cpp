#include "app/cli/subcommands.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "agent/gate/trust.h"
#include "agent/protocol/local_time.h"
#include "agent/store/export_summaries.h"
#include "agent/store/project_dir.h"
#include "agent/store/store.h"
#include "app/cli/explained_here.h"
#include "app/cli/mcp_command.h"
#include "app/cli/report_command.h"
#include "app/cli/stored_here.h"
#include "app/config/config_keys.h"
#include "app/config/option_table.h"
#include "app/config/options.h"
#include "app/config/user_config.h"
#include "app/session/console.h"
#include "tools/sandbox/sandbox.h"
#include "tools/workspace/workspace.h"

namespace tern {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

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
