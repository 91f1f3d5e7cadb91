#include "app/cli/stored_here.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/session/console.h"

namespace tern {

using Json = nlohmann::ordered_json;

void say(const std::string& text) { print(stdout, text); }

int complain(const std::string& text, int status) {
  print(stderr, "tern: " + text + "\n");
  return status;
}

std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string argument(const Subcommand& command, std::size_t n) {
  return n < command.options.arguments.size() ? command.options.arguments[n] : std::string();
}

int no_history(const Subcommand& command) {
  return complain(command.project.why.empty()
                      ? "there is no history here yet (" + command.project.project.string() + ")"
                      : command.project.why);
}

}  // namespace tern
