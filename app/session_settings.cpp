// What a person may change of a running session by word: folders, rules, settings.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/config.h"
#include "app/option_table.h"
#include "app/session_commands.h"

namespace tern {
namespace {

struct RuleWord {
  const char* name;
  PermissionRule::Kind kind;
};
constexpr RuleWord rule_words[] = {
    {"allow", PermissionRule::Kind::allow}, {"ask", PermissionRule::Kind::ask}, {"deny", PermissionRule::Kind::deny}};

std::pair<std::string, std::string> first_word(const std::string& text) {
  const auto end = text.find(' ');
  return {text.substr(0, end), end == text.npos ? std::string() : text.substr(text.find_first_not_of(' ', end))};
}

// The lines that hold the word; all of them without one.
std::string lines_with(const std::string& text, const std::string& word) {
  std::string found;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const auto line = text.substr(at, end - at);
    if (line.find(word) != line.npos) found += line;
    at = end;
  }
  return found.empty() ? "No setting is called \"" + word + "\".\n" : found;
}

}  // namespace

void SessionQueries::add_rule(const std::string& text) {
  const auto [word, spec] = first_word(text);
  for (const auto& [name, kind] : rule_words) {
    if (word != name) continue;
    PermissionRule rule;
    std::string wrong;
    if (!parse_rule(spec, kind, "/permissions", rule, wrong)) return s.emit(Notice{Level::warning, wrong});
    const auto shown = to_string(rule);
    s.hands_->policy.rules.push_back(std::move(rule));
    return s.emit(Notice{Level::info, "For this session: " + std::string(name) + " " + shown});
  }
  s.emit(Notice{Level::warning, "/permissions allow|ask|deny Tool(spec): \"" + word + "\" is none of the three."});
}

void SessionQueries::add_dir(const std::string& folder) {
  const auto place = s.workspace_->locate(folder);
  std::error_code ignored;
  if (!place.error.empty() || !std::filesystem::is_directory(place.real, ignored))
    return s.emit(Notice{Level::warning, "There is no folder " + folder + "."});
  if (place.inside) return s.emit(Notice{Level::info, place.real.string() + " is in the workspace already."});
  s.workspace_->add_dir(place.real);
  s.emit(Notice{Level::info, "The tools may work in " + place.real.string() +
                                 " for this session; \"addDirs\" in the configuration "
                                 "keeps it."});
}

// All values; one; or a compression setting of this project, changed.
void SessionQueries::config(const std::string& argument) {
  auto [key, value] = first_word(argument);
  if (!s.working_) s.reload_config();  // what is shown is what is in force
  if (value.empty())
    return s.emit(Page{"Configuration",
                       lines_with(s.setup_.show_config ? s.setup_.show_config(s.trusted_ ? s.project_.project : "") : "", key)});
  const auto known = config_keys();
  const auto is_known = [&](const std::string& name) { return std::find(known.begin(), known.end(), name) != known.end(); };
  if (is_known("compression." + key)) key = "compression." + key;
  if (!is_known(key)) {
    auto near = nearest_word(key, known);
    if (near.empty()) near = nearest_word("compression." + key, known);
    return s.emit(Notice{Level::warning, "No setting is called \"" + key + "\"" +
                                             (near.empty() ? ": /config lists them." : "; did you mean " + near + "?")});
  }
  if (key.rfind("compression.", 0) != 0)
    return s.emit(Notice{Level::warning, "Only compression settings change while a session runs; \"" + key +
                                             "\" is read from the configuration file at the start, or from --config."});
  auto json = nlohmann::json::parse(value, nullptr, false);
  if (json.is_discarded()) json = value;
  const nlohmann::json change = {{key.substr(12), std::move(json)}};
  if (!s.setup_.configure) return s.emit(Notice{Level::warning, "This session keeps no configuration."});
  s.emit(Notice{Level::info, s.setup_.configure(s.project_.project, change.dump(), s.context_.config)});
  s.show_meters();
}

}  // namespace tern
