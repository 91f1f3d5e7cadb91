#include "app/acp/acp_mcp.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/mcp/rpc.h"
#include "app/acp/acp_json.h"

namespace tern {
namespace {

using nlohmann::json;

std::string fit_name(const std::string& name) {
  std::string fit;
  for (const char c : name.substr(0, 64)) {
    const bool letter =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    if (letter || (!fit.empty() && fit.back() != '_')) fit += letter ? c : '_';
  }
  while (!fit.empty() && fit.back() == '_') fit.pop_back();
  return fit;
}

NamedTexts named_texts(const json& list) {
  NamedTexts texts;
  for (const auto& one : list) texts.emplace_back(member_text(one, "name"), member_text(one, "value"));
  return texts;
}

McpServer server_of(const json& entry, const std::string& name) {
  McpServer server;
  server.name = name;
  server.scope = McpScope::flag;
  server.file = "the editor";
  server.url = member_text(entry, "url");
  server.command = member_text(entry, "command");
  server.transport = server.url.empty() ? McpTransport::stdio : McpTransport::http;
  for (const auto& word : member_list(entry, "args"))
    if (word.is_string()) server.args.push_back(word.get<std::string>());
  server.env = named_texts(member_list(entry, "env"));
  server.headers = named_texts(member_list(entry, "headers"));
  server.shown = target_of(server);
  return server;
}

}  // namespace

McpServers client_servers(const json& list) {
  McpServers read;
  for (const auto& entry : list) {
    const auto given = member_text(entry, "name"), type = member_text(entry, "type");
    const auto name = fit_name(given);
    const bool http = type == "http", stdio = type.empty() || type == "stdio";
    const bool usable =
        (http && !member_text(entry, "url").empty()) || (stdio && !member_text(entry, "command").empty());
    const bool twice = std::any_of(read.servers.begin(), read.servers.end(),
                                   [&](const McpServer& one) { return one.name == name; });
    if (is_server_name(name) && usable && !twice)
      read.servers.push_back(server_of(entry, name));
    else
      read.problems.push_back("The MCP server \"" + given + "\" of the editor is not used: " +
                              (twice    ? "there are two of this name."
                               : usable ? "its name has no letters."
                                        : "tern speaks stdio and http."));
  }
  std::sort(read.servers.begin(), read.servers.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return read;
}

}  // namespace tern
