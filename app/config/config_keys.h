// Every key of the configuration, in one table: how it is read, shown, checked and explained.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/config_key.h"

namespace tern {

const std::vector<ConfigKey>& config_table();
const ConfigKey* find_key(std::string_view name);
std::vector<std::string> config_keys();  // their names
std::vector<ConfigKey> compression_keys();
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
}  // namespace tern
