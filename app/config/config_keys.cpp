#include "app/config/config_keys.h"

#include <algorithm>

#include "app/config/key_kinds.h"
#include "app/config/option_table.h"

namespace tern {
namespace {

using Json = nlohmann::json;
using namespace keys;

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
      .help = "permission mode at the start",
      .set = [](Config& c,
                const Json& json) { return json.is_string() && mode_from(json.get<std::string>(), c.mode); },
      .get = [](const Config& c) { return Json(std::string(to_string(c.mode))); },
      .text = true};
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
            "most tokens a helper (Task) may read; a call may ask for less"),
      texts("trusted", TERN_FIELD(trusted), "folders trusted without asking"),
      texts("addDirs", TERN_FIELD(add_dirs), "more folders the tools may work in"),
      text("appendPrompt", TERN_FIELD(append_prompt), "", "more instructions for the model"),
      text("editor", TERN_FIELD(editor), "", "editor to use instead of $VISUAL and $EDITOR"),
      text("theme", TERN_FIELD(theme), "", "colours: auto, dark, light …"),
      flag("vim", TERN_FIELD(vim), "vim keys in the prompt"),
      flag("bell", TERN_FIELD(bell),
           "tell you when a turn ends or a question waits and the window is not in front"),
      flag("terminal.title", TERN_FIELD(title),
           "show the conversation and its state in the title of the window"),
      text("terminal.notify", TERN_FIELD(notify), "auto osc9 osc99 osc777 bell never",
           "how tern notifies you"),
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

std::vector<std::string> config_keys() {
  std::vector<std::string> names;
  for (const ConfigKey& key : config_table()) names.push_back(key.name);
  return names;
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
           (secret
                ? ""
                : ": " + value.dump(-1, ' ', false, Json::error_handler_t::replace) + " is not accepted;") +
           " it must be " + key->wants;
  }
  config.origins[name] = origin;
  std::string wrong;
  for (const std::string& part : parts) wrong += (wrong.empty() ? "" : "\n") + origin + ": " + part;
  return wrong;
}

}  // namespace tern
