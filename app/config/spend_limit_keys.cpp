// What may be spent: a number of dollars for a session, or an object that also has turns, days, tools and
// servers.
#include "app/config/config_keys.h"

namespace tern {
namespace {

using Json = nlohmann::json;

bool is_dollars(const Json& json) {
  return json.is_number() && json.get<double>() >= 0 && json.get<double>() < 1e9;
}

bool set_limits(Config& config, const Json& json) {
  SpendLimits limits;
  if (is_dollars(json)) {
    limits.session = json.get<double>();
    config.max_cost = limits;
    return true;
  }
  if (!json.is_object()) return false;
  for (const auto& [name, value] : json.items()) {
    if (!is_dollars(value)) return false;
    set_limit(limits, name, value.get<double>());
  }
  config.max_cost = limits;
  return true;
}

Json shown_limits(const Config& config) {
  const auto& limits = config.max_cost;
  if (limits.turn == 0 && limits.day == 0 && limits.sources.empty()) return Json(limits.session);
  Json json = Json::object();
  for (const auto& [name, dollars] :
       {std::pair("turn", limits.turn), {"session", limits.session}, {"day", limits.day}})
    if (dollars > 0) json[name] = dollars;
  for (const auto& [name, dollars] : limits.sources) json[name] = dollars;
  return json;
}

}  // namespace

ConfigKey max_cost_key() {
  return {
      .name = "maxCost",
      .wants = "a number of dollars, or an object: turn, session, day, a tool or mcp__SERVER -> dollars",
      .help = "dollars of a session, or of a turn, session, day, tool or MCP server by name; 0 = no limit",
      .set = set_limits,
      .get = shown_limits};
}

}  // namespace tern
