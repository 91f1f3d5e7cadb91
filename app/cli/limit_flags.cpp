#include "app/cli/limit_flags.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "agent/models/json_schema.h"
#include "agent/store/project_dir.h"

namespace tern {
namespace {

// A schema is JSON text, or the file that holds it.
std::string schema_text(const std::string& given, std::string& error) {
  if (given.empty()) return {};
  auto text = given;
  if (text.find('{') == std::string::npos) {
    std::ifstream file(given);
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  if (!nlohmann::json::accept(text))
    error = "--json-schema is neither JSON nor a file that holds JSON: " + given;
  else if (const auto problem = schema_problem(text); !problem.empty())
    error = "--json-schema: " + problem;
  return text;
}

}  // namespace

void set_limits(const Options& options, const Config& config, SessionSetup& setup, std::string& error) {
  setup.limits = {config.max_turns, config.max_cost, schema_text(options.json_schema, error),
                  config.thinking};
  setup.limits.cost.run = options.max_cost;
  const auto state = user_state_dir();
  if (state.empty()) return;
  setup.day_account = state / "spent-today";
  setup.cache_pauses = state / "cache-pauses";
}

}  // namespace tern
