#include <algorithm>

#include "agent/models/models.h"
#include "agent/models/providers.h"
#include "app/config/config.h"
#include "app/config/config_keys.h"
#include "app/config/option_table.h"

namespace tern {
namespace {

using Json = nlohmann::json;
using Wrong = std::vector<std::string>;

// The names in an object that is kept as it was written; none where nothing was.
Json names_in(const std::string& object) {
  Json names = Json::object();
  const Json given = Json::parse(object, nullptr, false);
  if (!given.is_object()) return names;
  for (const auto& [name, entry] : given.items()) names[name] = "(set)";
  return names;
}

std::string unknown(const std::string& where, const std::string& name,
                    const std::vector<std::string>& known) {
  const std::string near = nearest_word(name, known);
  std::string all;
  for (const std::string& one : known) all += (all.empty() ? "" : ", ") + one;
  return "unknown key \"" + where + "." + name + "\"; " +
         (near.empty() ? "it may be one of " + all : "did you mean \"" + where + "." + near + "\"?");
}

void take_headers(ProviderSettings& settings, const Json& headers, const std::string& where, Wrong& wrong) {
  if (!headers.is_object()) return wrong.push_back(where + " must be an object: header → text");
  for (const auto& [header, content] : headers.items()) {
    if (content.is_string())
      settings.headers.emplace_back(header, content.get<std::string>());
    else
      wrong.push_back(where + "." + header + " must be a text");
  }
}

void take_provider(ProviderSettings& settings, const Json& one, const std::string& where, Wrong& wrong) {
  if (!one.is_object())
    return wrong.push_back(where + " must be an object {baseUrl, key, headers, toolSearch}");
  for (const auto& [key, value] : one.items()) {
    std::string* place = key == "baseUrl" ? &settings.base_url : key == "key" ? &settings.key : nullptr;
    if (key == "toolSearch" && value.is_boolean())
      settings.tool_search = value.get<bool>();
    else if (key == "toolSearch")
      wrong.push_back(where + ".toolSearch must be true or false");
    else if (key == "headers")
      take_headers(settings, value, where + ".headers", wrong);
    else if (!place)
      wrong.push_back(unknown(where, key, {"baseUrl", "key", "headers", "toolSearch"}));
    else if (!value.is_string())
      wrong.push_back(where + "." + key + " must be a text");
    else
      *place = value.get<std::string>();
  }
}

bool set_providers(Config& config, const Json& json, Wrong& wrong) {
  if (!json.is_object()) return false;
  std::vector<std::string> known;
  for (const ProviderKind* kind : all_providers()) known.emplace_back(kind->name);
  for (const auto& [name, one] : json.items()) {
    if (find_provider(name))
      take_provider(config.providers[name], one, "providers." + name, wrong);
    else
      wrong.push_back(unknown("providers", name, known));
  }
  return true;
}

// The values of a description are checked where it is used, by Models::describe; a field it does not know is
// left out here.
bool set_models(Config& config, const Json& json, Wrong& wrong) {
  if (!json.is_object()) return false;
  const std::vector<std::string> known = model_fields();
  for (const auto& [name, one] : json.items()) {
    if (!one.is_object()) {
      wrong.push_back("models." + name + " must be an object {window, maxOutput, input, output …}");
      continue;
    }
    Json fields = Json::object();
    for (const auto& [key, value] : one.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end())
        fields[key] = value;
      else
        wrong.push_back(unknown("models." + name, key, known));
    }
    config.models[name] = fields.dump();
  }
  return true;
}

}  // namespace

ConfigKey providers_key() {
  return {.name = "providers",
          .wants = "an object: name → {baseUrl, key, headers, toolSearch}",
          .help = "base URLs, keys and headers of providers",
          .set = nullptr,
          .get =
              [](const Config& config) {  // keys and headers are never shown
                Json json = Json::object();
                for (const auto& [name, one] : config.providers) {
                  json[name] = Json::object();
                  if (!one.base_url.empty()) json[name]["baseUrl"] = one.base_url;
                  if (one.tool_search) json[name]["toolSearch"] = *one.tool_search;
                  if (!one.key.empty()) json[name]["key"] = "(set)";
                  if (!one.headers.empty())
                    json[name]["headers"] = "(" + std::to_string(one.headers.size()) + " set)";
                }
                return json;
              },
          .set_parts = set_providers};
}

ConfigKey models_key() {
  return {.name = "models",
          .wants = "an object: provider/name → {window, maxOutput, input, output …}",
          .help = "models tern doesn't know",
          .set = nullptr,
          .get =
              [](const Config& config) {
                Json json = Json::object();
                for (const auto& [name, one] : config.models) json[name] = Json::parse(one, nullptr, false);
                return json;
              },
          .set_parts = set_models};
}

// The entries themselves are checked where they are used; their variables and headers may be secret.
ConfigKey mcp_servers_key() {
  return {.name = "mcpServers",
          .wants = "an object: name → {command, args, env} or {url, headers}",
          .help = "MCP servers, in the format of .mcp.json",
          .set =
              [](Config& config, const Json& json) {
                config.mcp_servers = json.dump(-1, ' ', false, Json::error_handler_t::replace);
                return json.is_object();
              },
          .get = [](const Config& config) { return names_in(config.mcp_servers); }};
}

// Read, and its problems named, where hooks are run.
ConfigKey hooks_key() {
  return {.name = "hooks",
          .wants = "an object: event → list of {matcher, hooks}",
          .help = "commands and URLs to call on events, in Claude Code's format",
          .set =
              [](Config& config, const Json& json) {
                config.hooks = json.dump(-1, ' ', false, Json::error_handler_t::replace);
                return json.is_object();
              },
          .get = [](const Config& config) { return names_in(config.hooks); }};
}

// Read, and its problems named, where the servers are started.
ConfigKey language_servers_key() {
  return {.name = "languageServers",
          .wants = "true, false, or an object: name → {command, extensions, env}, or false",
          .help = "tell the model new errors after an edit; true: also where there is no sandbox",
          .set =
              [](Config& config, const Json& json) {
                config.language_servers = json.dump(-1, ' ', false, Json::error_handler_t::replace);
                return json.is_object() || json.is_boolean();
              },
          .get =
              [](const Config& config) {
                const Json servers = Json::parse(config.language_servers, nullptr, false);
                if (!servers.is_object()) return servers.is_boolean() ? servers : Json::object();
                Json names = Json::object();
                for (const auto& [name, entry] : servers.items())
                  names[name] = entry.is_boolean() ? entry : Json("(set)");
                return names;
              }};
}

// In the shape of other agents' settings, or the command alone.
ConfigKey status_line_key() {
  return {.name = "statusLine",
          .wants = "a command, or an object: {command, refreshInterval}",
          .help = "a script that gets the session's state as JSON and prints a line below the prompt",
          .set =
              [](Config& config, const Json& json) {
                if (json.is_string()) {
                  config.status_line = {json.get<std::string>(), 0};
                  return true;
                }
                if (!json.is_object() || !json.contains("command") || !json["command"].is_string())
                  return false;
                const Json refresh = json.value("refreshInterval", Json(0));
                if (!refresh.is_number() || refresh.get<double>() < 0 || refresh.get<double>() > 86'400)
                  return false;
                config.status_line = {json["command"].get<std::string>(), refresh.get<int>()};
                return true;
              },
          .get =
              [](const Config& config) {
                const StatusLineSetting& line = config.status_line;
                return line.refresh_s > 0
                           ? Json{{"command", line.command}, {"refreshInterval", line.refresh_s}}
                           : Json(line.command);
              },
          .text = true};
}

TerminalWishes terminal_wishes(const Config& config) {
  return {config.title, allowed_by(config.links), allowed_by(config.progress), notify_by(config.notify)};
}

}  // namespace tern
