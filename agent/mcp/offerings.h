// What a server offers, as its lists say it: tools, prompts, resources. The words are the server's, cut to 2
// KB. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "agent/mcp/server_entry.h"

namespace tern {

struct McpToolInfo {
  std::string name, description, schema;
  bool says_read_only = false;
};
struct McpArgument {
  std::string name, description;
  bool required = false;
};
struct McpPrompt {
  std::string name, description;
  std::vector<McpArgument> arguments;
};
struct McpResource {
  std::string uri;  // of a template: with {names} to be filled in
  std::string name, description;
  bool is_template = false;
};

// Sorted by name, each name once. Tools without those that the entry leaves out.
std::vector<McpToolInfo> tools_from(const McpServer& server, const std::vector<nlohmann::json>& entries);
std::vector<McpPrompt> prompts_from(const std::vector<nlohmann::json>& entries);
std::vector<McpResource> resources_from(const std::vector<nlohmann::json>& entries, bool templates);

// "server:prompt" as a command is called: one word.
std::string mcp_command_name(std::string_view server, std::string_view prompt);

// Words and name=value pairs to the arguments of a prompt, in their order; the last one takes what is left.
struct McpArguments {
  std::vector<std::pair<std::string, std::string>> values;
  std::vector<McpArgument> missing;  // those that are required
};
McpArguments read_arguments(const McpPrompt& prompt, std::string_view text);

}  // namespace tern
