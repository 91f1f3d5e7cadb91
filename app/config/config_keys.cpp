#include "app/config/config_keys.h"

#include <algorithm>
#include <cmath>

#include "app/config/option_table.h"
#include "compression/plan/strategies.h"
#include "tools/set/args.h"

namespace tern {
namespace {

using Json = nlohmann::json;

std::string shown(double number) {
  Json json = number;
  return number == std::floor(number) ? std::to_string(static_cast<long long>(number)) : json.dump();
}

template <class Field>
ConfigKey share(std::string name, Field field, std::string help) {
  return {.name = std::move(name),
          .wants = "a number from 0 to 1",
          .help = std::move(help),
          .set =
              [field](Config& config, const Json& json) {
                if (!json.is_number() || !(json.get<double>() >= 0) || !(json.get<double>() <= 1))
                  return false;
                field(config) = json.get<double>();
                return true;
              },
          .get = [field](const Config& config) { return Json(field(const_cast<Config&>(config))); }};
}

template <class Field>
ConfigKey whole(std::string name, Field field, double least, double most, std::string help) {
  return {.name = std::move(name),
          .wants = "a whole number from " + shown(least) + " to " + shown(most),
          .help = std::move(help),
          .set =
              [field, least, most](Config& config, const Json& json) {
                if (!json.is_number() || json.get<double>() != std::floor(json.get<double>())) return false;
                if (json.get<double>() < least || json.get<double>() > most) return false;
                field(config) = static_cast<std::decay_t<decltype(field(config))>>(json.get<double>());
                return true;
              },
          .get = [field](const Config& config) { return Json(field(const_cast<Config&>(config))); }};
}

template <class Field>
ConfigKey flag(std::string name, Field field, std::string help) {
  return {.name = std::move(name),
          .wants = "true or false",
          .help = std::move(help),
          .set =
              [field](Config& config, const Json& json) {
                if (!json.is_boolean()) return false;
                field(config) = json.get<bool>();
                return true;
              },
          .get =
              [field](const Config& config) {
                return Json(static_cast<bool>(field(const_cast<Config&>(config))));
              }};
}

// Any text, or one of the words of `choices`.
template <class Field>
ConfigKey text(std::string name, Field field, std::string choices, std::string help) {
  return {.name = std::move(name),
          .wants = choices.empty() ? "a text" : "one of " + choices,
          .help = std::move(help),
          .set =
              [field, choices](Config& config, const Json& json) {
                if (!json.is_string()) return false;
                const std::string value = json.get<std::string>();
                if (!choices.empty() && (" " + choices + " ").find(" " + value + " ") == std::string::npos)
                  return false;
                field(config) = value;
                return true;
              },
          .get = [field](const Config& config) { return Json(field(const_cast<Config&>(config))); },
          .text = true};
}

template <class Field>
ConfigKey texts(std::string name, Field field, std::string help) {
  return {.name = std::move(name),
          .wants = "a list of texts",
          .help = std::move(help),
          .set =
              [field](Config& config, const Json& json) {
                if (!json.is_array() ||
                    !std::all_of(json.begin(), json.end(), [](const Json& one) { return one.is_string(); }))
                  return false;
                auto& list = field(config);
                list.clear();
                for (const Json& one : json) list.emplace_back(one.get<std::string>());
                return true;
              },
          .get =
              [field](const Config& config) {
                Json json = Json::array();
                for (const auto& one : field(const_cast<Config&>(config))) json.push_back(std::string(one));
                return json;
              }};
}

bool mode_from(const std::string& value, PermissionMode& mode) {
  std::string folded;
  for (char c : value) {
    if (c >= 'A' && c <= 'Z') folded += '-';
    folded += c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  if (folded == "default") folded = "ask";
  if (folded == "automatic") folded = "auto";
  if (folded == "bypass-permissions") folded = "bypass";
  for (PermissionMode one : {PermissionMode::ask, PermissionMode::accept_edits, PermissionMode::plan,
                             PermissionMode::automatic, PermissionMode::bypass}) {
    if (to_string(one) == folded) return mode = one, true;
  }
  return false;
}

ConfigKey mode_key() {
  return {
      .name = "permissions.mode",
      .wants = "one of ask accept-edits plan auto bypass",
      .help = "what may run unasked at the start",
      .set = [](Config& c,
                const Json& json) { return json.is_string() && mode_from(json.get<std::string>(), c.mode); },
      .get = [](const Config& c) { return Json(std::string(to_string(c.mode))); },
      .text = true};
}

template <class Field>
ConfigKey names(std::string name, Field field, std::string wants, std::string help) {
  return {.name = std::move(name),
          .wants = std::move(wants),
          .help = std::move(help),
          .set =
              [field](Config& config, const Json& json) {
                if (!json.is_object()) return false;
                for (const auto& [from, to] : json.items()) {
                  if (!to.is_string()) return false;
                  field(config)[from] = to.template get<std::string>();
                }
                return true;
              },
          .get = [field](const Config& config) { return Json(field(const_cast<Config&>(config))); }};
}

ConfigKey recent_messages_key() {
  return {.name = "compression.recentMessages",
          .wants = "a number of messages, or null",
          .help = "newest messages that absoluteThreshold leaves out; null = what is protected",
          .set =
              [](Config& config, const Json& json) {
                if (!json.is_null() && !(json.is_number_integer() && json.get<int>() >= 0)) return false;
                config.compression.recent_messages =
                    json.is_null() ? std::nullopt : std::optional(json.get<int>());
                return true;
              },
          .get =
              [](const Config& config) {
                return config.compression.recent_messages ? Json(*config.compression.recent_messages)
                                                          : Json(nullptr);
              }};
}

ConfigKey threshold_key() {
  return {.name = "compression.absoluteThreshold",
          .wants = "a number of tokens, or null",
          .help = "only compressible tokens are compared with it; null = off",
          .set =
              [](Config& config, const Json& json) {
                if (!json.is_null() && !(json.is_number_integer() && json.get<Tokens>() > 0)) return false;
                config.compression.absolute_threshold =
                    json.is_null() ? std::nullopt : std::optional(json.get<Tokens>());
                return true;
              },
          .get =
              [](const Config& config) {
                return config.compression.absolute_threshold ? Json(*config.compression.absolute_threshold)
                                                             : Json(nullptr);
              }};
}

ConfigKey style_key() {
  return {.name = "compression.style",
          .wants = "one of sections snapshot",
          .help = "shape of a summary: numbered sections, or a state snapshot",
          .set =
              [](Config& config, const Json& json) {
                if (json != "sections" && json != "snapshot") return false;
                config.compression.style =
                    json == "snapshot" ? SummaryStyle::snapshot : SummaryStyle::sections;
                return true;
              },
          .get =
              [](const Config& c) {
                return Json(c.compression.style == SummaryStyle::snapshot ? "snapshot" : "sections");
              },
          .text = true};
}

ConfigKey max_tool_output_key() {
  ConfigKey key = whole(
      "compression.maxToolOutput", [](Config & c) -> auto& { return c.compression.max_tool_output; }, 0, 1e9,
      "characters of any tool result, as two halves around a marker; setting it turns snipHalves on, 0 off");
  key.set = [inner = key.set](Config& config, const Json& json) {
    if (!inner(config, json)) return false;
    config.compression.snip_halves = config.compression.max_tool_output > 0;
    return true;
  };
  return key;
}

ConfigKey summary_max_chars_key() {
  ConfigKey key = whole(
      "compression.summaryMaxChars", [](Config & c) -> auto& { return c.compression.summary_max_chars; }, 50,
      1e6, "longest summary in characters; unset, it limits only key points in summaries.json");
  key.set = [inner = key.set](Config& config, const Json& json) {
    return inner(config, json) && (config.compression.cap_summary = true);
  };
  return key;
}

ConfigKey trigger_tokens_key() {
  ConfigKey key = whole(
      "compression.triggerTokens", [](Config & c) -> auto& { return c.compression.trigger_tokens; }, 1'000,
      1e9,
      "tokens at which the conversation is summarized where compactAt of the window is more; unset, once "
      "microAt is passed, too");
  key.set = [inner = key.set](Config& config, const Json& json) {
    return inner(config, json) && (config.compression.trigger_alone = true);
  };
  return key;
}

#define TERN_FIELD(field) \
  [](Config & c) -> auto& { return c.field; }
#define TERN_SQUEEZE(field) TERN_FIELD(compression.field)

std::vector<ConfigKey> compression_keys() {
  return {
      flag("compression.autoCompress", TERN_SQUEEZE(auto_compress), "compact automatically"),
      flag("compression.autoTune", TERN_SQUEEZE(auto_tune),
           "apply what /context tune suggests, within bounds, and say so"),
      share("compression.microAt", TERN_SQUEEZE(micro_at),
            "share of the working size at which old results are shortened"),
      share("compression.compactAt", TERN_SQUEEZE(compact_at),
            "share at which the conversation is summarized"),
      share("compression.truncateAt", TERN_SQUEEZE(truncate_at),
            "share at which the oldest is removed, without a model"),
      share("compression.draftAt", TERN_SQUEEZE(draft_at),
            "share at which a summary is drafted in the background"),
      share("compression.microLowWater", TERN_SQUEEZE(micro_low_water),
            "share that shortening brings the context down to"),
      share("compression.compactTarget", TERN_SQUEEZE(compact_target),
            "share of the trigger that a summary brings it down to"),
      whole("compression.snipLimit", TERN_SQUEEZE(snip_limit), 500, 1e9,
            "characters from which a tool result is cut when it enters (unset: from 40% of the window on); "
            "the other limits are "
            "never below it"),
      whole("compression.snipRelaxed", TERN_SQUEEZE(snip_relaxed), 500, 1e9,
            "snipLimit while less than 40% of the window is used; at most a twelfth of the window"),
      whole("compression.readLimit", TERN_SQUEEZE(read_limit), 500, 1e9,
            "characters of a file that enter whole, twice that for a range of lines; at most a twelfth of "
            "the window"),
      share("compression.snipHead", TERN_SQUEEZE(snip_head), "share of the limit kept from the beginning"),
      share("compression.snipTail", TERN_SQUEEZE(snip_tail), "share of the limit kept from the end"),
      max_tool_output_key(),
      flag("compression.snipHalves", TERN_SQUEEZE(snip_halves), "cut to maxToolOutput as two halves"),
      whole("compression.maxTurns", TERN_SQUEEZE(max_turns), 1, 1e6,
            "turns that may stay out of a summary; from there on the sliding window slides"),
      whole("compression.keepRecent", TERN_SQUEEZE(keep_recent), 0, 1e6,
            "newest rounds that stay out of a summary while there is room; turns the sliding window keeps"),
      flag("compression.slidingWindow", TERN_SQUEEZE(sliding_window),
           "keep the newest keepRecent turns, one summary for the rest"),
      summary_max_chars_key(),
      share("compression.importanceThreshold", TERN_SQUEEZE(importance_threshold),
            "answers at or above it stay word for word beside a summary while there is room"),
      whole("compression.keepLastToolRounds", TERN_SQUEEZE(keep_last_tool_rounds), 0, 1e6,
            "tool rounds pruning leaves alone; 0 = prune all"),
      flag("compression.preserveToolCalls", TERN_SQUEEZE(preserve_tool_calls),
           "name the tools in a summary by rules"),
      whole("compression.protectUserMessages", TERN_SQUEEZE(protect_user_messages), 0, 1e6,
            "newest user messages nothing touches"),
      whole("compression.protectResults", TERN_SQUEEZE(protect_results), 0, 1e6,
            "newest tool results nothing touches; where tier 2 finds nothing else, those that fit a quarter "
            "of the window"),
      share("compression.minCompressible", TERN_SQUEEZE(min_compressible),
            "share of the window below which cutting is not worth it"),
      threshold_key(),
      recent_messages_key(),
      flag("compression.countSystem", TERN_SQUEEZE(count_system),
           "the system prompt and the tools count in absoluteThreshold"),
      trigger_tokens_key(),
      whole("compression.triggerMessages", TERN_SQUEEZE(trigger_messages), 1, 1e9,
            "messages that trigger shortening by themselves"),
      whole("compression.minMessages", TERN_SQUEEZE(min_messages), 0, 1e6,
            "fewer messages are never compressed"),
      share("compression.targetRatio", TERN_SQUEEZE(target_ratio), "what removal strategies keep"),
      text("compression.strategy", TERN_SQUEEZE(strategy), compaction_names(),
           "how a conversation is compacted"),
      style_key(),
      flag("compression.microByModel", TERN_SQUEEZE(micro_by_model),
           "let the small model write the one-liners"),
      whole("compression.indexBudget", TERN_SQUEEZE(index_budget), 0, 100'000,
            "tokens of the index after a summary"),
      whole("compression.pinBudget", TERN_SQUEEZE(pin_budget), 0, 1e6, "tokens that pins may hold"),
      text("compression.smallModel", TERN_SQUEEZE(small_model), "",
           "the model that writes summaries; empty = the table decides"),
  };
}

std::vector<ConfigKey> person_keys() {
  return {
      text("model", TERN_FIELD(model), "", "provider/name, or an alias"),
      whole("window", TERN_FIELD(window), 0, 1e9, "context window in tokens; 0 = the model's own"),
      whole("thinking", TERN_FIELD(thinking), 0, 1e6,
            "tokens for thinking, at most three quarters of an answer"),
      whole("maxTurns", TERN_FIELD(max_turns), 0, 1e6, "requests of one turn; 0 = no limit"),
      max_cost_key(),
      mode_key(),
      texts("permissions.allow", TERN_FIELD(allow), "rules for what runs unasked: \"Bash(git status)\""),
      texts("permissions.ask", TERN_FIELD(ask), "rules for what always asks"),
      texts("permissions.deny", TERN_FIELD(deny), "rules for what never runs; deny wins"),
      flag("sandbox.network", TERN_FIELD(sandbox_network), "let sandboxed commands use the network"),
      texts("env", TERN_FIELD(allowed_env), "more environment variables that commands may see"),
      texts("tools.disabled", TERN_FIELD(disabled_tools), "tools to keep from the model"),
      texts("tools.extra", TERN_FIELD(extra_tools), "extra tools to offer the model"),
      whole("helpers.maxTokens", TERN_FIELD(helper_tokens), 2'000, 1e6,
            "tokens a helper (Task) may take in; a call may ask for less"),
      texts("trusted", TERN_FIELD(trusted), "folders trusted without asking"),
      texts("addDirs", TERN_FIELD(add_dirs), "more folders the tools may work in"),
      text("appendPrompt", TERN_FIELD(append_prompt), "", "more instructions for the model"),
      text("editor", TERN_FIELD(editor), "", "instead of $VISUAL and $EDITOR"),
      text("theme", TERN_FIELD(theme), "", "colours: auto, dark, light …"),
      flag("vim", TERN_FIELD(vim), "vim keys in the prompt"),
      flag("bell", TERN_FIELD(bell),
           "tell you when a turn ends or a question waits and the window is not in front"),
      flag("terminal.title", TERN_FIELD(title),
           "show the conversation and its state in the title of the window"),
      text("terminal.notify", TERN_FIELD(notify), "auto osc9 osc99 osc777 bell never",
           "how the terminal is asked to tell you"),
      text("terminal.links", TERN_FIELD(links), "auto always never", "links that a click opens (OSC 8)"),
      text("terminal.progress", TERN_FIELD(progress), "auto always never",
           "progress on the tab of the window (OSC 9;4)"),
      flag("inline", TERN_FIELD(inline_screen), "leave finished messages to the terminal's scrollback"),
      flag("plain", TERN_FIELD(plain), "no colours, no frames"),
      providers_key(),
      models_key(),
      mcp_servers_key(),
      hooks_key(),
      language_servers_key(),
      status_line_key(),
      names("aliases", TERN_FIELD(aliases), "an object: short name → provider/name",
            "short names for models"),
      names("keys", TERN_FIELD(keys), "an object: action → key",
            "other keys for the actions that /keys lists"),
  };
}

}  // namespace

const std::vector<ConfigKey>& config_table() {
  static const std::vector<ConfigKey> table = [] {
    std::vector<ConfigKey> keys = person_keys();
    for (ConfigKey& key : compression_keys()) keys.push_back(std::move(key));
    for (ConfigKey& key : context_keys()) keys.push_back(std::move(key));
    return keys;
  }();
  return table;
}

const ConfigKey* find_key(std::string_view name) {
  const auto& table = config_table();
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const ConfigKey& key) { return key.name == name; });
  return found == table.end() ? nullptr : &*found;
}

std::string set_value(Config& config, const std::string& name, const Json& value, const std::string& origin) {
  const ConfigKey* key = find_key(name);
  if (!key) {
    const std::string near = nearest_word(name, config_keys());
    return origin + ": unknown key \"" + name + "\"" +
           (near.empty() ? "" : "; did you mean \"" + near + "\"?");
  }
  std::vector<std::string> parts;
  if (!(key->set_parts ? key->set_parts(config, value, parts) : key->set(config, value))) {
    const bool secret = name == "providers";
    return origin + ": " + name +
           (secret ? ""
                   : ": " + value.dump(-1, ' ', false, Json::error_handler_t::replace) + " is not taken;") +
           " it wants " + key->wants;
  }
  config.origins[name] = origin;
  std::string wrong;
  for (const std::string& part : parts) wrong += (wrong.empty() ? "" : "\n") + origin + ": " + part;
  return wrong;
}

// Commas before a closing bracket are taken out first; nlohmann handles the comments.
Json parse_jsonc(std::string_view bytes, std::string& why) {
  std::string clean(bytes);
  if (nests_too_deep(bytes)) return why = "it is nested too deeply", Json(Json::value_t::discarded);
  std::size_t comma = std::string::npos;
  for (std::size_t at = 0; at < clean.size(); ++at) {
    const char c = clean[at];
    if (c == '"') {
      for (++at; at < clean.size() && clean[at] != '"'; ++at) at += clean[at] == '\\';
      comma = std::string::npos;
    } else if (c == '/' && at + 1 < clean.size() && (clean[at + 1] == '/' || clean[at + 1] == '*')) {
      const bool line = clean[at + 1] == '/';
      const std::size_t end = clean.find(line ? "\n" : "*/", at + 2);
      at = end == std::string::npos ? clean.size() : end + (line ? 0 : 1);
    } else if (c == ',') {
      comma = at;
    } else if (c == ']' || c == '}') {
      if (comma != std::string::npos) clean[comma] = ' ';
      comma = std::string::npos;
    } else if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
      comma = std::string::npos;
    }
  }
  try {
    return Json::parse(clean, nullptr, true, true);
  } catch (const Json::parse_error& error) {
    const auto until = std::min<std::size_t>(error.byte, clean.size());
    why = "line " +
          std::to_string(
              1 + std::count(clean.begin(), clean.begin() + static_cast<std::ptrdiff_t>(until), '\n')) +
          " is not JSON";
    return Json(Json::value_t::discarded);
  }
}

}  // namespace tern
