// `tern context`: what fills the newest session's window, the log of its compactions, and what could be
// tuned.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "agent/compactor/meters.h"
#include "agent/compactor/tuning.h"
#include "agent/models/models.h"
#include "agent/models/providers.h"
#include "agent/protocol/local_time.h"
#include "agent/store/export_summaries.h"
#include "app/cli/stored_here.h"
#include "app/config/option_table.h"
#include "app/config/user_config.h"

namespace tern {
namespace {

using Json = nlohmann::ordered_json;

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

}  // namespace

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

}  // namespace tern
