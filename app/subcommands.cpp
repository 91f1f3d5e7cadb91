#include "app/subcommands.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "agent/export_summaries.h"
#include "agent/local_time.h"
#include "agent/meters.h"
#include "agent/models.h"
#include "agent/project_dir.h"
#include "agent/store.h"
#include "agent/trust.h"
#include "app/console.h"
#include "app/option_table.h"
#include "tools/sandbox.h"
#include "tools/workspace.h"

namespace tern {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Look {
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

std::string argument(const Look& look, std::size_t n = 0) {
  return n < look.options.arguments.size() ? look.options.arguments[n] : std::string();
}

int no_history(const Look& look) {
  return complain(look.project.why.empty() ? "there is no history here yet (" + look.project.project.string() + ")"
                                           : look.project.why);
}

int list_sessions(Look& look) {
  if (!look.store) return no_history(look);
  std::string words;
  for (const std::string& word : look.options.arguments) words += (words.empty() ? "" : " ") + word;
  Json json = Json::array();
  for (const SessionRow& row : look.store->sessions(words)) {
    json.push_back({{"id", row.id},
                    {"name", row.name},
                    {"turns", row.turns},
                    {"updated", iso_time(row.updated)},
                    {"created", iso_time(row.created)},
                    {"model", row.model},
                    {"cwd", row.cwd},
                    {"parent", row.parent},
                    {"firstPrompt", row.first_prompt}});
    if (!look.options.json)
      say(row.id + "  " + local_time(row.updated) + "  " + std::to_string(row.turns) +
          (row.turns == 1 ? " turn   " : " turns  ") + row.name + "\n");
  }
  if (look.options.json)
    say(dump(json));
  else if (json.empty())
    return complain(words.empty() ? "no sessions yet" : "no session holds \"" + words + "\"");
  else
    say("\ntern --resume ID goes on with one of them\n");
  return 0;
}

// "r17", "r17:10-20", or words to look for.
int recall(Look& look) {
  if (!look.store) return no_history(look);
  std::string wanted;
  for (const std::string& word : look.options.arguments) wanted += (wanted.empty() ? "" : " ") + word;
  if (wanted.empty()) return complain("recall needs an id or words, as in: tern recall r17:1-40", 2);
  const std::size_t colon = wanted.find(':');
  const RecallId id = parse_recall_id(wanted.substr(0, colon));
  if (id) {
    std::size_t first = 1, last = SIZE_MAX;
    if (colon != std::string::npos && std::sscanf(wanted.c_str() + colon, ":%zu-%zu", &first, &last) == 1) last = first;
    const auto text = colon == std::string::npos ? look.store->text(id) : look.store->lines(id, first, last);
    if (!text) return complain("there is no original " + to_string(id) + " in this project");
    say(*text);
    return 0;
  }
  std::string why;
  look.store->newest(why);
  const auto hits = look.store->search_originals(wanted);
  for (const OriginalHit& hit : hits) {
    say(to_string(hit.id) + ":" + std::to_string(hit.line_number) + "  " + hit.tool + " " + hit.subject + "\n    " + hit.line +
        "\n");
  }
  return hits.empty() ? complain("no original of the newest session holds \"" + wanted + "\"") : 0;
}

int show_summaries(Look& look) {
  if (!look.store) return no_history(look);
  const auto all = look.store->summaries();
  if (look.options.json) {
    say(summaries_json(all, look.config.compression.summary_max_chars));
    return 0;
  }
  const std::string wanted = argument(look);
  if (!wanted.empty()) {
    const auto number = std::strtoull(wanted.c_str(), nullptr, 10);
    if (number == 0 || number > all.size())
      return complain((all.empty()       ? "nothing has been summarised yet"
                       : all.size() == 1 ? "there is one summary, number 1"
                                         : "there are " + std::to_string(all.size()) + " summaries") +
                      ("; \"" + wanted + "\" is none of them"));
    say(summary_markdown(all[number - 1]));
    return 0;
  }
  for (const NumberedSummary& one : all) {
    const CompactionRecord& record = one.record;
    say(std::to_string(one.number) + "  " + local_time(record.when) + "  turns " + std::to_string(record.first_turn) + "-" +
        std::to_string(record.last_turn) + "  " + std::to_string(record.before) + " -> " + std::to_string(record.after) +
        " tokens  " + record.strategy + (record.undone ? "  (undone)" : "") + "\n");
  }
  return all.empty() ? complain("nothing has been summarised yet") : 0;
}

int compression_log(Look& look) {
  const auto all = look.store->compactions(true);
  Json json = Json::array();
  for (const CompactionRecord& one : all) {
    json.push_back({{"batch", one.batch},
                    {"timestamp", iso_time(one.when)},
                    {"tier", std::string(to_string(one.tier))},
                    {"strategy", one.strategy},
                    {"tokensBefore", one.before},
                    {"tokensAfter", one.after},
                    {"items", one.items},
                    {"originals", one.originals},
                    {"why", one.why},
                    {"audit", one.audit},
                    {"cost", one.cost},
                    {"pauseMs", one.pause_ms},
                    {"undone", one.undone}});
    if (look.options.json) continue;
    if (one.tier == Tier::none)
      say(local_time(one.when) + "  " + one.strategy + "\n");
    else
      say(local_time(one.when) + "  " + std::string(to_string(one.tier)) + " (" + one.strategy + ")  " +
          std::to_string(one.before) + " -> " + std::to_string(one.after) + " tokens, " +
          counted(static_cast<std::int64_t>(one.items), "item") + ", " +
          counted(static_cast<std::int64_t>(one.originals), "original") + (one.undone ? "  (undone)" : "") + "\n");
    for (const std::string& line : {one.why, one.audit, one.cost}) {
      if (!line.empty()) say("    " + line + "\n");
    }
  }
  if (look.options.json)
    say(dump(json));
  else if (all.empty())
    say("nothing has been decided in this session yet\n");
  return 0;
}

int show_context(Look& look) {
  const std::string what = argument(look);
  if (!what.empty() && what != "log")
    return complain("there is no \"tern context " + what + "\": tern context, or tern context log", 2);
  std::string why;
  const auto opened = look.store ? look.store->newest(why) : std::nullopt;
  if (!opened) return why.empty() ? no_history(look) : complain(why);
  if (argument(look) == "log") return compression_log(look);
  Models models;
  const auto name =
      models.resolve(look.config.model.empty() ? opened->model : look.config.model).value_or(ModelName{"", opened->model});
  const ModelInfo model = models.find(name.provider, name.model);
  Context context;
  context.conversation = opened->conversation;
  context.model = model;
  context.config = look.config.compression;
  load_frame(look.store->state("frame"), context);
  if (look.config.window > 0) context.window_override = look.config.window;
  context.gauges.load(look.store->state("gauges"), model);
  const Meters meters = read_meters(context);
  const double share = static_cast<double>(meters.used) / static_cast<double>(std::max<Tokens>(meters.effective, 1));
  Json parts = Json::object();
  for (const auto& part : meters.parts) parts[part.name] = part.tokens;
  Tokens saved = 0;
  for (const CompactionRecord& one : look.store->compactions()) saved += one.undone ? 0 : one.before - one.after;
  const UsageTotal total = look.store->usage_total();
  Json json = {{"session", opened->id},
               {"name", opened->name},
               {"model", opened->model},
               {"turns", opened->turns},
               {"items", opened->conversation.items.size()},
               {"used", meters.used},
               {"effective", meters.effective},
               {"window", meters.window},
               {"share", share},
               {"saved", saved},
               {"tiers", {{"micro", meters.micro_at}, {"compact", meters.compact_at}, {"truncate", meters.truncate_at}}},
               {"turnsToNextTier", meters.turns_to_next < 0 ? Json() : Json(meters.turns_to_next)},
               {"parts", parts},
               {"requests", total.requests},
               {"dollars", total.dollars}};
  if (look.options.json) {
    say(dump(json));
    return 0;
  }
  char line[256];
  std::snprintf(line, sizeof line, "%.0f", share * 100);
  say(opened->id + "  " + opened->model + "\n" + line + " % of " + thousands(meters.effective) + " tokens, " +
      counted(static_cast<std::int64_t>(opened->conversation.items.size()), "item") + ", " +
      counted(static_cast<std::int64_t>(opened->turns), "turn") + "\n");
  for (const auto& part : meters.parts) {
    std::snprintf(line, sizeof line, "  %-10s %8lld\n", part.name.c_str(), static_cast<long long>(part.tokens));
    say(line);
  }
  if (meters.turns_to_next >= 0) say("next tier in about " + counted(meters.turns_to_next, "turn") + "\n");
  say("saved by compression " + thousands(saved) + " tokens; " + counted(static_cast<std::int64_t>(total.requests), "request") +
      ", " + money(total.dollars) + "\n");
  return 0;
}

int show_config(Look& look) {
  std::string wanted;
  bool origins = false;
  for (const std::string& word : look.options.arguments) {
    if (word == "--origins")
      origins = true;
    else
      wanted = word;
  }
  const std::string all = config_text(look.config, origins);
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
    return complain("no key holds \"" + wanted + "\"" + (near.empty() ? "" : "; did you mean " + near + "?"));
  }
  say(look.options.json ? config_json(look.config, wanted) : found + problems);
  return look.config.problems.empty() ? 0 : 1;
}

int sandbox(Look& look) {
  std::vector<std::string> words = {"sandbox"};
  words.insert(words.end(), look.options.arguments.begin(), look.options.arguments.end());
  if (words.size() == 1) words.emplace_back("--check");
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return sandbox_main(static_cast<int>(words.size()), argv.data());
}

int completion(Look& look) {
  const std::string script = completion_script(argument(look));
  if (script.empty()) return complain("completion needs bash, zsh or fish", 2);
  say(script);
  return 0;
}

int run(Look& look) {
  static const std::map<std::string, int (*)(Look&)> table = {{"sessions", list_sessions},
                                                              {"recall", recall},
                                                              {"summaries", show_summaries},
                                                              {"context", show_context},
                                                              {"config", show_config},
                                                              {"sandbox", sandbox},
                                                              {"completion", completion},
                                                              {"doctor", [](Look& l) { return run_doctor(l.options, l.config); }},
                                                              {"man", [](Look&) { return say(man_page()), 0; }},
                                                              {"help", [](Look&) { return say(usage_text()), 0; }}};
  const auto found = table.find(look.options.subcommand);
  return found == table.end() ? complain("there is no command \"" + look.options.subcommand + "\"", 2) : found->second(look);
}

// As a session decides it, so that what is shown is what would be in force.
bool trusts(const Config& config, const fs::path& folder) {
  const auto covers = [&](const auto& listed) { return is_under(listed, folder); };
  return std::any_of(config.trusted.begin(), config.trusted.end(), covers) || TrustList(default_trust_file()).trusted(folder);
}

}  // namespace

int run_subcommand(const Options& options, Config config) {
  std::error_code ignored;
  const fs::path cwd = options.cwd.empty() ? fs::current_path(ignored) : fs::path(options.cwd);
  Look look{options, config, open_project_dir({.root = cwd, .state_dir = options.state_dir, .create = false}), nullptr};
  struct stat info {};
  const fs::path file = look.project.project / "config.json";
  if (look.project.usable_config() && ::lstat(file.c_str(), &info) == 0) {
    if (trusts(config, fs::weakly_canonical(cwd, ignored)))
      for (std::string& problem : read_project_config(look.project.project, config))
        config.problems.push_back(std::move(problem));
    else
      config.problems.push_back(file.string() +
                                " is not read: this folder is not trusted yet (open tern in it, or list it under " +
                                "\"trusted\" in your own config.json)");
  }
  if (!look.project.folder.empty() && ::lstat((look.project.folder / "tern.db").c_str(), &info) == 0) {
    look.store = Store::open({.folder = look.project.folder, .read_only = true});
    for (const std::string& notice : look.store->notices()) print(stderr, "tern: " + notice + "\n");
  }
  return run(look);
}

}  // namespace tern
