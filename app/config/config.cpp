#include "app/config/config.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "agent/store/project_dir.h"
#include "app/config/config_keys.h"
#include "app/config/jsonc.h"
#include "app/config/option_table.h"
#include "app/config/options.h"
#include "tools/set/args.h"

namespace tern {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
constexpr std::size_t kMostBytes = 1 << 20;

// Nothing is followed, nothing blocks, nothing huge is read. Without `why` a false says that there is no
// file.
bool read_file(const fs::path& file, bool may_be_link, std::string& bytes, std::string& why) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | (may_be_link ? 0 : O_NOFOLLOW));
  if (fd < 0 && errno != ENOENT && errno != ENOTDIR) why = std::strerror(errno);
  if (fd < 0) return false;
  struct stat info {};
  const bool plain = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  if (!plain) why = "it is not a file";
  char part[65'536];
  for (ssize_t got = 0; plain && bytes.size() < kMostBytes && (got = ::read(fd, part, sizeof part)) > 0;) {
    bytes.append(part, static_cast<std::size_t>(got));
  }
  ::close(fd);
  return plain;
}

// "TERN_COMPRESSION_MICRO_AT" of "compression.microAt"
std::string variable_of(std::string_view key) {
  std::string name = "TERN_";
  for (char c : key) {
    if (c >= 'A' && c <= 'Z') name += '_';
    name += c == '.' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  }
  return name;
}

Json value_of(const ConfigKey& key, std::string_view text) {
  if (key.text && !text.starts_with('"')) return Json(std::string(text));
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? Json(std::string(text)) : json;
}

void note(Config& config, const std::string& lines) {
  for (std::size_t from = 0; from < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', from), lines.size());
    config.problems.push_back(lines.substr(from, end - from));
    from = end + 1;
  }
}

void take(Config& config, const std::string& name, const Json& value, const std::string& origin) {
  note(config, set_value(config, name, value, origin));
}

// {"compression": {"microAt": 0.5}} and {"compression.microAt": 0.5} are the same.
void take_object(Config& config, const Json& object, const std::string& prefix, const std::string& origin) {
  for (const auto& [name, value] : object.items()) {
    const std::string whole = prefix + name;
    const auto& table = config_table();
    const bool section = std::any_of(table.begin(), table.end(),
                                     [&](const ConfigKey& key) { return key.name.starts_with(whole + "."); });
    if (section && value.is_object())
      take_object(config, value, whole + ".", origin);
    else if (section)
      config.problems.push_back(origin + ": " + whole + " must be an object with its keys; it is ignored");
    else
      take(config, whole, value, origin);
  }
}

constexpr const char* kAboutProjectConfig =
    "What you set beside this line holds for this project, as in \"keepRecent\": 15. tern itself rewrites "
    "\"effective\", the "
    "value in force of each key, and \"from\", who set those that are no defaults. Neither is read.";

constexpr const char* kTierOrder = "microLowWater < microAt < compactAt < truncateAt must hold";

bool tiers_rise(const CompressionConfig& c) {
  return c.micro_low_water < c.micro_at && c.micro_at < c.compact_at && c.compact_at < c.truncate_at;
}

// Tiers that do not rise would fire in the wrong order: the marks go back to their defaults together.
void check_tiers(Config& config) {
  CompressionConfig& c = config.compression;
  if (tiers_rise(c)) return;
  config.problems.push_back(std::string("compression: ") + kTierOrder + "; the defaults are used");
  const CompressionConfig defaults;
  c.micro_low_water = defaults.micro_low_water, c.micro_at = defaults.micro_at;
  c.compact_at = defaults.compact_at, c.truncate_at = defaults.truncate_at;
  for (const char* name : {"microLowWater", "microAt", "compactAt", "truncateAt"})
    config.origins.erase(std::string(kCompression) + name);
}

bool outranks_project(const Config& config, const std::string& name) {
  const auto found = config.origins.find(name);
  return found != config.origins.end() && (found->second.starts_with("$") || found->second.starts_with("--"));
}

void take_project(Config& config, const Json& object, const std::string& origin) {
  for (const auto& entry : object.items()) {
    const std::string& name = entry.key();
    const Json& value = entry.value();
    if (is_shown_part(name)) continue;
    if (name == "compression" && value.is_object()) {
      take_project(config, value, origin);
      continue;
    }
    const std::string bare = name.starts_with(kCompression) ? name.substr(kCompression.size()) : name;
    const std::string whole = std::string(kCompression) + bare;
    const auto& table = config_table();
    const bool personal =
        !find_key(whole) && std::any_of(table.begin(), table.end(), [&](const ConfigKey& key) {
          return key.name == name || key.name.starts_with(name + ".");
        });
    if (personal)
      config.problems.push_back(origin + ": \"" + name +
                                "\" can't be set by a project; put it in your own config.json");
    else if (!outranks_project(config, whole))
      take(config, whole, value, origin);
  }
}

Json read_object(const fs::path& file, bool may_be_link, std::vector<std::string>& problems) {
  std::string bytes, why;
  if (!read_file(file, may_be_link, bytes, why)) {
    if (!why.empty()) problems.push_back(file.string() + " cannot be read (" + why + "); it is ignored");
    return Json::object();
  }
  Json json = parse_jsonc(bytes, why);
  if (json.is_object()) return json;
  problems.push_back(file.string() + ": " + (why.empty() ? "it must be one object" : why) +
                     "; it is ignored");
  return Json(Json::value_t::discarded);
}

std::string compression_settings(const Config& config) {
  std::string text;
  for (const ConfigKey& key : config_table())
    if (key.name.starts_with(kCompression))
      text += key.name.substr(kCompression.size()) + ": " + key.get(config).dump() + "\n";
  return text;
}

void note_unknown_variables(Config& config, const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const ConfigKey& key : config_table()) known.push_back(variable_of(key.name));
  for (const std::string& name : names) {
    if (!name.starts_with("TERN_COMPRESSION_") || std::find(known.begin(), known.end(), name) != known.end())
      continue;
    const std::string near = nearest_word(name, known);
    note(config, "$" + name + " is not a setting" +
                     (near.empty() ? "; tern config lists them" : "; did you mean $" + near + "?"));
  }
}

}  // namespace

fs::path user_config_file(const std::function<std::string(const std::string&)>& env) {
  const std::string config = env("XDG_CONFIG_HOME"), home = env("HOME");
  if (config.starts_with('/')) return fs::path(config) / "tern/config.json";
  return home.starts_with('/') ? fs::path(home) / ".config/tern/config.json" : fs::path();
}

std::string unreadable_config(const fs::path& user_file) {
  std::string bytes, why;
  if (user_file.empty() || read_file(user_file, true, bytes, why) || why.empty()) return {};
  return user_file.string() + " cannot be read (" + why +
         "): the rules in it would not hold; make it readable or move it away";
}

Config load_config(const ConfigSources& sources) {
  Config config;
  if (!sources.user_file.empty()) {
    const Json json = read_object(sources.user_file, true, config.problems);
    if (json.is_object()) take_object(config, json, "", sources.user_file.string());
  }
  for (const ConfigKey& key : config_table()) {
    const std::string variable = variable_of(key.name);
    const std::string value = sources.env ? sources.env(variable) : std::string();
    if (!value.empty()) take(config, key.name, value_of(key, value), "$" + variable);
  }
  note_unknown_variables(config, sources.variables);
  for (const auto& [name, value, origin] : sources.flags) {
    note(config, set_config(config, name, value, origin));
  }
  check_tiers(config);
  return config;
}

std::vector<std::string> read_project_config(const fs::path& project_dir, Config& config) {
  const std::vector<std::string> before = std::move(config.problems);
  config.problems.clear();
  const fs::path file = project_dir / "config.json";
  const Json json = read_object(file, false, config.problems);
  if (json.is_object()) take_project(config, json, ".compression/config.json");
  check_tiers(config);
  std::vector<std::string> problems = std::move(config.problems);
  config.problems = before;
  return problems;
}

std::string show_in_project_config(const fs::path& project_dir, const Config& config) {
  const fs::path file = project_dir / "config.json";
  std::string bytes, why;
  const bool there = read_file(file, false, bytes, why);
  if (!why.empty()) return file.string() + " cannot be read (" + why + ")";
  if (nests_too_deep(bytes)) return {};
  const auto old =
      there ? nlohmann::ordered_json::parse(bytes, nullptr, false) : nlohmann::ordered_json::object();
  if (!old.is_object()) return {};
  nlohmann::ordered_json made;
  made["about"] = kAboutProjectConfig;
  for (const auto& [name, value] : old.items())
    if (!is_shown_part(name)) made[name] = value;
  auto effective = nlohmann::ordered_json::object(), from = nlohmann::ordered_json::object();
  for (const ConfigKey& key : config_table()) {
    if (!key.name.starts_with(kCompression)) continue;
    const std::string bare = key.name.substr(kCompression.size());
    effective[bare] = key.get(config);
    if (const auto origin = config.origins.find(key.name); origin != config.origins.end())
      from[bare] = origin->second;
  }
  made["effective"] = std::move(effective);
  made["from"] = std::move(from);
  const std::string text = made.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  if (text == bytes) return {};
  return write_private_file(file, text, why) ? std::string() : why;
}

std::string change_project_config(const fs::path& project_dir, const std::string& text,
                                  CompressionConfig& now, bool& changed) {
  changed = false;
  std::string why, lines;
  const Json changes = parse_jsonc(text, why);
  if (!changes.is_object()) return "expected an object of keys and values, such as {\"keepRecent\": 15}";
  Config before, after;
  before.compression = after.compression = now;
  take_project(after, changes, "not changed");
  if (!after.problems.empty()) return after.problems.front();
  if (!tiers_rise(after.compression)) return std::string("not changed: ") + kTierOrder;
  Json file =
      project_dir.empty() ? Json::object() : read_object(project_dir / "config.json", false, after.problems);
  if (!file.is_object()) return after.problems.front();
  for (const ConfigKey& key : config_table()) {
    if (!after.origins.count(key.name)) continue;
    const std::string bare = key.name.substr(kCompression.size());
    file.erase(key.name);
    if (file.contains("compression") && file["compression"].is_object()) file["compression"].erase(bare);
    file[bare] = key.get(after);
    lines += bare + ": " + key.get(before).dump() + " → " + key.get(after).dump() + "\n";
  }
  if (lines.empty()) return compression_settings(before);
  const std::string written = file.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  if (!project_dir.empty() && !write_private_file(project_dir / "config.json", written, why)) return why;
  now = after.compression;
  changed = true;
  return lines;
}

std::string set_config(Config& config, std::string_view name, std::string_view value,
                       std::string_view origin) {
  const std::string whole = !find_key(name) && find_key(std::string(kCompression) + std::string(name))
                                ? std::string(kCompression) + std::string(name)
                                : std::string(name);
  const ConfigKey* key = find_key(whole);
  return set_value(config, whole, key ? value_of(*key, value) : Json(std::string(value)),
                   std::string(origin));
}

std::vector<ConfigFlag> config_flags(const Options& options) {
  std::vector<ConfigFlag> flags;
  const auto add = [&](const char* key, std::string value, const char* origin) {
    if (!value.empty()) flags.push_back({key, std::move(value), origin});
  };
  for (const auto& [key, value] : options.config) flags.push_back({key, value, "--config"});
  add("model", options.model, "--model");
  add("compression.smallModel", options.small_model, "--small-model");
  add("permissions.mode", options.permission_mode, "--permission-mode");
  add("appendPrompt", options.append_prompt, "--append-system-prompt");
  add("window", options.window > 0 ? std::to_string(options.window) : "", "--window");
  add("thinking", options.thinking >= 0 ? std::to_string(options.thinking) : "", "--thinking");
  add("maxTurns", options.max_turns > 0 ? std::to_string(options.max_turns) : "", "--max-turns");
  add("inline", options.inline_screen ? "true" : "", "--inline");
  add("plain", options.plain ? "true" : "", "--plain");
  return flags;
}

std::string config_text(const Config& config, bool origins) {
  std::string text;
  for (const ConfigKey& key : config_table()) {
    std::string line = key.name;
    line.resize(std::max<std::size_t>(line.size() + 1, 34), ' ');
    line += key.get(config).dump(-1, ' ', false, Json::error_handler_t::replace);
    const auto origin = config.origins.find(key.name);
    line.resize(std::max<std::size_t>(line.size() + 2, 54), ' ');
    if (origins) {
      line += origin == config.origins.end() ? "default" : origin->second;
      line.resize(std::max<std::size_t>(line.size() + 2, 76), ' ');
    }
    text += line + "// " + key.help + "\n";
  }
  for (const std::string& problem : config.problems) text += "! " + problem + "\n";
  return text;
}

std::vector<ListRow> config_rows(const Config& config) {
  std::vector<ListRow> rows;
  for (const ConfigKey& key : config_table()) {
    const auto origin = config.origins.find(key.name);
    const std::string from = origin == config.origins.end() ? "" : origin->second + " · ";
    rows.push_back(
        {key.name, key.get(config).dump(-1, ' ', false, Json::error_handler_t::replace), from + key.help});
  }
  return rows;
}

std::string config_json(const Config& config, std::string_view part) {
  Json json = Json::object();
  for (const ConfigKey& key : config_table()) {
    if (key.name.find(part) == std::string_view::npos) continue;
    const auto origin = config.origins.find(key.name);
    json[key.name] = {{"value", key.get(config)},
                      {"origin", origin == config.origins.end() ? "default" : origin->second},
                      {"help", key.help}};
  }
  json["problems"] = config.problems;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<PermissionRule> permission_rules(const Config& config, const ToolSet& tools,
                                             std::vector<std::string>& problems) {
  using Kind = PermissionRule::Kind;
  std::vector<PermissionRule> rules;
  const std::pair<Kind, const std::vector<std::string>*> lists[] = {
      {Kind::deny, &config.deny}, {Kind::ask, &config.ask}, {Kind::allow, &config.allow}};
  for (const auto& [kind, list] : lists) {
    const char* key = kind == Kind::deny  ? "permissions.deny"
                      : kind == Kind::ask ? "permissions.ask"
                                          : "permissions.allow";
    const auto origin = config.origins.find(key);
    for (const std::string& text : *list) {
      PermissionRule rule;
      std::string wrong;
      if (parse_rule(tools, text, kind, origin == config.origins.end() ? "config" : origin->second, rule,
                     wrong))
        rules.push_back(std::move(rule));
      else
        problems.push_back(std::string(key) + ": " + text + ": " + wrong +
                           (kind == Kind::deny ? " — NOTHING IS DENIED by it" : ""));
    }
  }
  return rules;
}

}  // namespace tern
