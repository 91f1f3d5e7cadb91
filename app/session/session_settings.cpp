// What a person may change of a running session by word: folders, rules, settings.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "agent/gate/explain_command.h"
#include "app/config/config.h"
#include "app/config/config_keys.h"
#include "app/config/option_table.h"
#include "app/session/session_answers.h"
#include "app/session/session_commands.h"

namespace tern {
namespace {

std::string_view to_string(RuleKind kind) {
  constexpr std::string_view names[] = {"allow", "ask", "deny"};
  return names[static_cast<std::size_t>(kind)];
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

// It was made in a session: the others are changed where they are written.
bool in_session(const PermissionRule& rule) {
  return rule.origin == RuleOrigin::session || rule.origin == RuleOrigin::project;
}

}  // namespace

void SessionQueries::tell(const AskVerdict& asked) {
  auto& hands = *s.hands_;
  if (hands.ready_sandbox) std::exchange(hands.ready_sandbox, nullptr)(hands);
  s.emit(Page{"Permissions for " + asked.command.substr(0, 40),
              explain_command(hands.policy, asked.command, *s.workspace_)});
}

void SessionQueries::tell(const AddRule& added) {
  PermissionRule rule;
  std::string wrong;
  if (!parse_rule(s.tools_, added.spec, added.kind, "/permissions", rule, wrong))
    return s.emit(Notice{Level::warning, wrong});
  rule.origin = RuleOrigin::session;
  const auto shown = rule_text(rule);
  s.hands_->policy.rules.push_back(std::move(rule));
  s.emit(Notice{Level::info, "For this session: " + std::string(to_string(added.kind)) + " " + shown});
}

// One that was granted or made in a session; those of the configuration are changed there.
void SessionQueries::tell(const RemoveRule& removed) {
  const auto& text = removed.spec;
  auto& rules = s.hands_->policy.rules;
  const auto named = [&](const PermissionRule& rule) { return rule_text(rule) == text && in_session(rule); };
  const auto found = std::find_if(rules.begin(), rules.end(), named);
  if (found == rules.end())
    return s.emit(Notice{Level::warning, "No rule that was made in a session reads " + text + "."});
  const bool kept = std::any_of(rules.begin(), rules.end(), [&](const PermissionRule& rule) {
    return named(rule) && rule.origin == RuleOrigin::project;
  });
  std::erase_if(rules, named);
  s.store_->revoke(text);
  const auto wrong = kept ? s.project_rules().remove(text) : std::string();
  s.emit(wrong.empty() ? Notice{Level::info, "Removed " + text + "."} : Notice{Level::warning, wrong});
}

// A rule for this session becomes one of the project, and the other way round.
void SessionQueries::tell(const RescopeRule& moved) {
  const auto& text = moved.spec;
  auto& rules = s.hands_->policy.rules;
  const auto named = [&](const PermissionRule& rule) { return rule_text(rule) == text && in_session(rule); };
  const auto found = std::find_if(rules.begin(), rules.end(), named);
  if (found == rules.end())
    return s.emit(Notice{Level::warning, text + " is set in the configuration: change it there."});
  if (found->kind != PermissionRule::Kind::allow)
    return s.emit(Notice{Level::warning, "Only rules that allow can be kept for the project."});
  const bool kept = found->origin == RuleOrigin::project;
  const auto wrong = kept ? s.project_rules().remove(text) : s.project_rules().add(text);
  if (!wrong.empty()) return s.emit(Notice{Level::warning, wrong});
  found->origin = kept ? RuleOrigin::session : RuleOrigin::project;
  found->source = to_string(found->origin);
  kept ? void(s.store_->grant(text, false)) : void(s.store_->revoke(text));
  s.emit(Notice{Level::info, text + (kept ? " holds for this session only." : " is kept for this project.")});
}

void SessionQueries::tell(const AddFolder& added) {
  const auto& folder = added.path;
  const auto place = s.workspace_->locate(folder);
  std::error_code ignored;
  if (!place.error.empty() || !std::filesystem::is_directory(place.real, ignored))
    return s.emit(Notice{Level::warning, "There is no folder " + folder + "."});
  if (place.inside) return s.emit(Notice{Level::info, place.real.string() + " is in the workspace already."});
  s.workspace_->add_dir(place.real);
  if (!s.hands_->ready_sandbox)
    ready_sandbox(*s.hands_, *s.workspace_, s.setup_.sandbox_network);  // it was made for fewer folders
  s.emit(Notice{Level::info, "The tools may work in " + place.real.string() +
                                 " for this session; \"addDirs\" in the configuration "
                                 "keeps it."});
}

// Into the user's own file, and into this session where that is possible.
void SessionQueries::keep(const std::string& key, const std::string& value) {
  if (key == "model") return SessionCommands{s}.set_model(value);
  if (!s.setup_.keep_setting) return s.emit(Notice{Level::warning, "This session keeps no configuration."});
  const auto kept = s.setup_.keep_setting(key, value);
  if (!kept.ok) return s.emit(Notice{Level::warning, kept.text});
  auto& limits = s.agent_->limits;
  bool follows = key == "theme" || key == "vim" || key == "bell";  // the screen's
  if (key == "thinking") limits.thinking = std::atoi(kept.value.c_str()), follows = true;
  if (key == "maxTurns") limits.max_requests = std::atoi(kept.value.c_str()), follows = true;
  if (key == "maxCost") {
    Config read;
    if (set_config(read, key, kept.value, "").empty()) {
      const double run = limits.cost.run;
      limits.cost = read.max_cost;
      limits.cost.run = run;
      follows = true;
    }
  }
  s.emit(Notice{Level::info,
                kept.text + "  (" + s.setup_.user_file + (follows ? ")" : "; from the next start on)")});
}

void SessionQueries::tell(const AskSetting& asked) {
  if (!s.working_) s.reload_config();
  const auto all = s.setup_.show_config ? s.setup_.show_config(s.trusted_ ? s.project_.project : "") : "";
  s.emit(Page{"Configuration", lines_with(all, asked.name)});
}

void SessionQueries::tell(const ChangeSetting& changed) {
  if (!s.working_) s.reload_config();
  auto key = changed.key;
  const auto& value = changed.value;
  const auto known = config_keys();
  const auto is_known = [&](const std::string& name) {
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  if (is_known("compression." + key)) key = "compression." + key;
  if (!is_known(key)) {
    auto near = nearest_word(key, known);
    if (near.empty()) near = nearest_word("compression." + key, known);
    return s.emit(Notice{Level::warning,
                         "No setting is called \"" + key + "\"" +
                             (near.empty() ? ": /config lists them." : "; did you mean " + near + "?")});
  }
  if (key.rfind("compression.", 0) != 0) return keep(key, value);
  auto json = nlohmann::json::parse(value, nullptr, false);
  if (json.is_discarded()) json = value;
  const nlohmann::json change = {{key.substr(12), std::move(json)}};
  s.emit(Notice{Level::info, s.configure(change.dump())});
  s.show_meters();
}

}  // namespace tern
