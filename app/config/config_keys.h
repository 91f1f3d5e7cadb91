// Every key of the configuration, in one table: how it is read, shown, checked and explained.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/config.h"

namespace tern {

struct ConfigKey {
  std::string name;   // "compression.microAt"
  std::string wants;  // "a number from 0 to 1", for the message when it is something else
  std::string help;
  std::function<bool(Config&, const nlohmann::json&)> set;  // false: not what it wants
  std::function<nlohmann::json(const Config&)> get;
  bool text = false;  // a bare word on the command line is meant literally
  // Instead of `set`, for objects of named parts: what is right is taken, the rest named in `wrong` without
  // its value.
  std::function<bool(Config&, const nlohmann::json&, std::vector<std::string>& wrong)> set_parts = nullptr;
};
const std::vector<ConfigKey>& config_table();
const ConfigKey* find_key(std::string_view name);
std::vector<ConfigKey> context_keys();
ConfigKey providers_key();
ConfigKey models_key();
ConfigKey mcp_servers_key();
ConfigKey hooks_key();
ConfigKey language_servers_key();
ConfigKey status_line_key();
ConfigKey max_cost_key();
constexpr std::string_view kCompression = "compression.";

// One value in; what is wrong with it or with parts of it, a line each; empty when taken.
std::string set_value(Config& config, const std::string& name, const nlohmann::json& value,
                      const std::string& origin);
// JSON with // and /* */ comments and trailing commas; discarded when it is none, `why` tells the line.
nlohmann::json parse_jsonc(std::string_view text, std::string& why);

}  // namespace tern
