#include "app/acp/acp_options.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/models/providers.h"
#include "agent/protocol/effort.h"

namespace tern {
namespace {

using nlohmann::json;

struct ModeRow {
  PermissionMode mode;
  const char *id, *name, *help;
};
constexpr ModeRow mode_rows[] = {
    {PermissionMode::ask, "ask", "Ask", "Asks before edits and commands that change something"},
    {PermissionMode::accept_edits, "accept-edits", "Accept edits",
     "Edits in the workspace run; commands run in a sandbox"},
    {PermissionMode::plan, "plan", "Plan", "Reads and plans, changes nothing"},
    {PermissionMode::automatic, "auto", "Auto", "Like accept edits, plus local git commands"},
    {PermissionMode::bypass, "bypass", "Bypass", "Everything runs without asking"},
};

json choice(const std::string& value, const std::string& name, const char* help = "") {
  json row;
  row["value"] = value;
  row["name"] = name;
  if (*help) row["description"] = help;
  return row;
}

json select(const char* id, const char* name, const char* category, const std::string& value, json choices) {
  json option;
  option["id"] = id;
  option["name"] = name;
  if (*category) option["category"] = category;
  option["type"] = "select";
  option["currentValue"] = value;
  option["options"] = std::move(choices);
  return option;
}

std::string id_of(PermissionMode mode) {
  for (const auto& row : mode_rows)
    if (row.mode == mode) return row.id;
  return {};
}

std::string effort_of(int tokens) {
  for (const auto& level : effort_levels())
    if (level.tokens == tokens) return std::string(level.name);
  return std::to_string(tokens);
}

std::string style_name(SummaryStyle style) {
  return style == SummaryStyle::snapshot ? "snapshot" : "sections";
}

json effort_choices(int now) {
  json list = json::array();
  bool listed = false;
  for (const auto& level : effort_levels()) {
    auto name = std::string(level.name);
    listed |= level.tokens == now;
    list.push_back(choice(name, static_cast<char>(name[0] - 'a' + 'A') + name.substr(1)));
  }
  if (!listed) list.push_back(choice(effort_of(now), std::to_string(now) + " tokens"));
  return list;
}

}  // namespace

std::optional<PermissionMode> mode_of_id(std::string_view id) {
  for (const auto& row : mode_rows)
    if (row.id == id) return row.mode;
  return std::nullopt;
}

json AcpOptions::modes() const {
  json state;
  state["currentModeId"] = id_of(mode);
  auto& list = state["availableModes"] = json::array();
  for (const auto& row : mode_rows) {
    if (row.mode == PermissionMode::bypass && !bypass) continue;
    json one;
    one["id"] = row.id;
    one["name"] = row.name;
    one["description"] = row.help;
    list.push_back(std::move(one));
  }
  return state;
}

json AcpOptions::config() const {
  json list = json::array(), modes = json::array(), named = json::array(), styles = json::array();
  for (const auto& row : mode_rows)
    if (row.mode != PermissionMode::bypass || bypass) modes.push_back(choice(row.id, row.name, row.help));
  for (const auto& row : models) named.push_back(choice(row.value, row.name));
  styles.push_back(choice("sections", "Sections", "A summary under nine headings"));
  styles.push_back(choice("snapshot", "Snapshot", "A state snapshot"));
  list.push_back(select("mode", "Mode", "mode", id_of(mode), std::move(modes)));
  list.push_back(select("model", "Model", "model", model, std::move(named)));
  list.push_back(select("effort", "Effort", "thought_level", effort_of(thinking), effort_choices(thinking)));
  list.push_back(select("compression", "Compression style", "", style_name(style), std::move(styles)));
  return list;
}

std::optional<Command> AcpOptions::set(std::string_view option, std::string_view value) {
  if (option == "mode") {
    const auto wanted = mode_of_id(value);
    if (!wanted || (*wanted == PermissionMode::bypass && !bypass)) return std::nullopt;
    mode = *wanted;
    return SetMode{mode};
  }
  if (option == "model") {
    if (std::none_of(models.begin(), models.end(),
                     [&](const AcpModelRow& row) { return row.value == value; }))
      return std::nullopt;
    model = value;
    return SetModel{model};
  }
  if (option == "effort") {
    const auto levels = effort_levels();
    const auto found =
        std::find_if(levels.begin(), levels.end(), [&](const EffortLevel& one) { return one.name == value; });
    if (found == levels.end()) return std::nullopt;
    thinking = found->tokens;
    return SetEffort{thinking};
  }
  if (option != "compression" || (value != "sections" && value != "snapshot")) return std::nullopt;
  style = value == "snapshot" ? SummaryStyle::snapshot : SummaryStyle::sections;
  return ChangeSetting{"compression.style", std::string(value)};
}

std::vector<AcpModelRow> usable_models(const SessionSetup& setup, const std::string& current) {
  std::vector<AcpModelRow> rows = {{current, current}};
  for (const auto& text : setup.models.names()) {
    const auto alias = text.find(" = ");
    const auto name = setup.models.resolve(alias == text.npos ? text : text.substr(alias + 3));
    const auto* kind = name ? find_provider(name->provider) : nullptr;
    if (!kind || kind->local || lacks_key(*kind, wire_of(setup, *kind))) continue;
    const auto value = name->provider + "/" + name->model;
    if (std::none_of(rows.begin(), rows.end(), [&](const AcpModelRow& row) { return row.value == value; }))
      rows.push_back({value, value});
  }
  return rows;
}

}  // namespace tern
