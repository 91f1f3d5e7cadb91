#include "agent/mcp/server_entry.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/models/url.h"
#include "compression/text/sha256.h"
#include "tools/set/args.h"

namespace tern {

namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr std::size_t kLongestName = 64;
constexpr milliseconds kLongestTimeout = std::chrono::hours(24);

// One entry while it is read. What is wrong is said once, the first thing.
class EntryReader {
 public:
  EntryReader(const json& entry, McpServer& server, const Variables& variables)
      : entry_(entry), server_(server), variables_(variables) {}

  std::string read() {
    read_transport();
    if (server_.transport == McpTransport::stdio)
      read_command();
    else
      read_address();
    read_limits();
    if (wrong_.empty() && !missing_.empty())
      wrong_ = "the variable " + missing_.front() + " is not set. Set it, or write ${" + missing_.front() +
               ":-value}";
    return wrong_;
  }

 private:
  const json* member(const char* name) const {
    const auto found = entry_.find(name);
    return found == entry_.end() || found->is_null() ? nullptr : &*found;
  }

  void blame(std::string what) {
    if (wrong_.empty()) wrong_ = std::move(what);
  }

  std::string expanded(const std::string& text) { return expand_variables(text, variables_, missing_); }

  std::string text(const char* name) {
    const json* value = member(name);
    if (value == nullptr) return {};
    if (value->is_string()) return expanded(value->get<std::string>());
    blame(std::string("\"") + name + "\" must be a text");
    return {};
  }

  bool flag(const char* name, bool otherwise) {
    const json* value = member(name);
    if (value == nullptr) return otherwise;
    if (value->is_boolean()) return value->get<bool>();
    blame(std::string("\"") + name + "\" must be true or false");
    return otherwise;
  }

  std::vector<std::string> texts(const char* name) {
    std::vector<std::string> list;
    const json* value = member(name);
    if (value == nullptr) return list;
    if (!value->is_array()) blame(std::string("\"") + name + "\" must be a list of texts");
    if (!value->is_array()) return list;
    for (const json& each : *value) {
      if (each.is_string())
        list.push_back(expanded(each.get<std::string>()));
      else
        blame(std::string("\"") + name + "\" must hold texts only");
    }
    return list;
  }

  NamedTexts pairs(const char* name) {
    NamedTexts list;
    const json* value = member(name);
    if (value == nullptr) return list;
    if (!value->is_object()) blame(std::string("\"") + name + "\" must be an object of texts");
    if (!value->is_object()) return list;
    for (const auto& [key, each] : value->items()) {
      if (each.is_string())
        list.emplace_back(key, expanded(each.get<std::string>()));
      else if (each.is_number() || each.is_boolean())
        list.emplace_back(key, each.dump());
      else
        blame(std::string("\"") + name + "." + key + "\" must be a text");
    }
    return list;
  }

  milliseconds time(const char* name, milliseconds otherwise, long long unit) {
    const json* value = member(name);
    if (value == nullptr) return otherwise;
    const double amount = value->is_number() ? value->get<double>() * static_cast<double>(unit) : 0;
    if (amount >= 1 && amount <= static_cast<double>(kLongestTimeout.count()))
      return milliseconds(static_cast<long long>(amount));
    blame(std::string("\"") + name + "\" must be a positive number of " +
          (unit == 1 ? "milliseconds" : "seconds"));
    return otherwise;
  }

  void read_transport() {
    const bool command = member("command") != nullptr,
               url = member("url") != nullptr || member("httpUrl") != nullptr;
    const std::string type = text("type");
    if (command && url) return blame("it has both \"command\" and \"url\". Keep one of them");
    if (!command && !url)
      return blame("it has neither \"command\" nor \"url\". Give a \"command\" to run or a \"url\" to call");
    server_.transport = url ? McpTransport::http : McpTransport::stdio;
    if (type.empty()) return;
    if (type == "sse")
      return blame(
          "the transport \"sse\" is not supported. Use \"type\": \"http\" with the server's Streamable HTTP "
          "address");
    const bool http =
        type == "http" || type == "streamable-http" || type == "streamableHttp" || type == "remote";
    const bool stdio = type == "stdio" || type == "local";
    if (!http && !stdio) return blame("the type \"" + type + "\" is unknown. Use \"stdio\" or \"http\"");
    if (http && command) blame("\"type\": \"" + type + "\" needs a \"url\", and the entry has a \"command\"");
    if (stdio && url) blame("\"type\": \"" + type + "\" needs a \"command\", and the entry has a \"url\"");
  }

  void read_command() {
    const json* command = member("command");
    if (command != nullptr && command->is_array()) {  // opencode's form: program and arguments in one list
      server_.args = texts("command");
      if (!server_.args.empty()) {
        server_.command = server_.args.front();
        server_.args.erase(server_.args.begin());
      }
    } else {
      server_.command = text("command");
    }
    for (std::string& word : texts("args")) server_.args.push_back(std::move(word));
    server_.env = pairs(member("environment") != nullptr ? "environment" : "env");
    server_.cwd = text("cwd");
    if (server_.command.empty()) blame("\"command\" is empty");
  }

  void read_address() {
    server_.url = text(member("httpUrl") != nullptr ? "httpUrl" : "url");
    server_.headers = pairs("headers");
    read_oauth();
    if (const json* helper = member("headersHelper"); helper != nullptr && !helper->is_string())
      blame("\"headersHelper\" must be a text");
    else if (helper != nullptr)
      server_.headers_helper = helper->get<std::string>();  // its variables are the shell's
    if (const std::string why = refusal(server_.url); missing_.empty() && !why.empty())
      blame("its address cannot be used: " + why);
  }

  void read_oauth() {
    read_oauth_entry();
    const char* ours = variables_("TERN_CLIENT_METADATA_URL");
    if (server_.oauth.metadata_url.empty() && ours != nullptr) server_.oauth.metadata_url = ours;
  }

  void read_oauth_entry() {
    const json* oauth = member("oauth");
    if (oauth == nullptr || oauth->is_boolean()) return;
    if (!oauth->is_object()) return blame("\"oauth\" must be an object");
    const auto said = [&](const char* name) {
      const auto found = oauth->find(name);
      return found != oauth->end() && found->is_string() ? expanded(found->get<std::string>())
                                                         : std::string();
    };
    server_.oauth = {said("clientId"),
                     said("clientSecret"),
                     said("clientMetadataUrl"),
                     said("authServerMetadataUrl"),
                     {},
                     0};
    const json scopes = oauth->value("scopes", json());
    for (const json& each : scopes.is_array() ? scopes : json::array())
      if (each.is_string())
        server_.oauth.scopes += (server_.oauth.scopes.empty() ? "" : " ") + each.get<std::string>();
    if (scopes.is_string()) server_.oauth.scopes = scopes.get<std::string>();
    const std::int64_t port = whole_number(oauth->value("callbackPort", json(0)), -1);
    if (port < 0 || port > 65'535) return blame("\"oauth.callbackPort\" must be a port");
    server_.oauth.port = static_cast<int>(port);
  }

  void read_limits() {
    server_.call_timeout = time("timeout", server_.call_timeout, 1);
    server_.start_timeout = time("startupTimeout", server_.start_timeout, 1);
    server_.enabled = flag("enabled", true) && !flag("disabled", false);
    server_.always_load = flag("alwaysLoad", false);
    server_.trusted = flag("trust", false);
    server_.sandboxed = flag("sandbox", true);
    server_.only_tools = texts(member("includeTools") != nullptr ? "includeTools" : "enabledTools");
    server_.without_tools = texts(member("excludeTools") != nullptr ? "excludeTools" : "disabledTools");
    read_policies();
  }

  // "tools": [{"name", "permission_policy"}]. Other agents write other things there, which are left alone.
  void read_policies() {
    const json* tools = member("tools");
    for (const json& each : tools != nullptr && tools->is_array() ? *tools : json::array()) {
      const auto said = [&](const char* key) {
        const auto found = each.is_object() ? each.find(key) : each.end();
        return each.is_object() && found != each.end() && found->is_string() ? found->get<std::string>()
                                                                             : std::string();
      };
      const std::string name = said("name"), policy = said("permission_policy");
      if (name.empty() || policy.empty()) continue;
      if (policy == "always_deny")
        server_.without_tools.push_back(name);
      else if (policy == "always_ask" || policy == "always_allow")
        server_.policies.push_back({name, policy == "always_allow"});
      else
        blame("\"permission_policy\" of \"" + name + "\" must be always_allow, always_ask or always_deny");
    }
  }

  const json& entry_;
  McpServer& server_;
  const Variables& variables_;
  std::vector<std::string> missing_;
  std::string wrong_;
};

std::string place(const std::filesystem::path& file, const std::string& name) {
  return file.string() + ": MCP server \"" + name + "\": ";
}

const json* entries_of(const json& root) {
  if (!root.is_object()) return nullptr;
  const auto found = root.find("mcpServers");
  if (found == root.end()) return &root;
  return found->is_object() ? &*found : nullptr;
}

bool runs_commands(const McpServer& server) {
  return server.transport == McpTransport::stdio || !server.headers_helper.empty();
}

}  // namespace

bool is_server_name(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), plain) &&
         name.find("__") == name.npos;
}

std::string expand_variables(std::string_view text, const Variables& variables,
                             std::vector<std::string>& missing) {
  std::string out;
  while (true) {
    const std::size_t begin = text.find("${");
    const std::size_t end = begin == text.npos ? text.npos : text.find('}', begin);
    out += text.substr(0, end == text.npos ? text.npos : begin);
    if (end == text.npos) return out;
    const std::string_view inside = text.substr(begin + 2, end - begin - 2);
    const std::size_t otherwise = inside.find(":-");
    const std::string name(inside.substr(0, otherwise));
    const char* value = variables(name);
    if (value != nullptr && (*value != '\0' || otherwise == inside.npos))
      out += value;
    else if (otherwise != inside.npos)
      out += inside.substr(otherwise + 2);
    else
      missing.push_back(name);
    text.remove_prefix(end + 1);
  }
}

McpServers read_mcp_servers(std::string_view text, const std::filesystem::path& file, McpScope scope,
                            const Variables& variables) {
  McpServers read;
  const json root =
      nests_too_deep(text) ? json(json::value_t::discarded) : json::parse(text, nullptr, false, true);
  const json* entries = entries_of(root);
  if (entries == nullptr) {
    read.problems.push_back(file.string() + (root.is_discarded()
                                                 ? ": this is not valid JSON, so its MCP servers are not used"
                                                 : ": \"mcpServers\" must be an object of named servers"));
    return read;
  }
  for (const auto& [name, entry] : entries->items()) {
    McpServer server;
    server.name = name;
    server.scope = scope;
    server.file = file;
    server.shown = entry.dump(2, ' ', false, json::error_handler_t::replace);
    server.hash = sha256(name + '\n' + entry.dump(-1, ' ', false, json::error_handler_t::replace));
    std::string wrong;
    if (!is_server_name(name))
      wrong = "a name has at most 64 letters, digits, '-' and single '_'. Rename it";
    else if (!entry.is_object())
      wrong = "the entry must be an object with a \"command\" or a \"url\"";
    else
      wrong = EntryReader(entry, server, variables).read();
    if (scope == McpScope::project) {
      server.trusted = false, server.sandboxed = true;
      std::erase_if(server.policies, [](const McpToolPolicy& policy) { return policy.allow; });
    }
    if (wrong.empty())
      read.servers.push_back(std::move(server));
    else
      read.problems.push_back(place(file, name) + wrong + ".");
  }
  return read;
}

McpServers merge_mcp_servers(std::vector<McpServers> lists) {
  McpServers all;
  for (McpServers& list : lists) {
    for (McpServer& server : list.servers) {
      std::erase_if(all.servers, [&](const McpServer& earlier) { return earlier.name == server.name; });
      all.servers.push_back(std::move(server));
    }
    all.problems.insert(all.problems.end(), list.problems.begin(), list.problems.end());
  }
  std::sort(all.servers.begin(), all.servers.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return all;
}

bool runs_in_sandbox(const McpServer& server) { return server.sandboxed && runs_commands(server); }
bool runs_outside(const McpServer& server) { return !server.sandboxed && runs_commands(server); }

std::string target_of(const McpServer& server) {
  if (server.transport == McpTransport::http) return server.url;
  std::string line = server.command;
  for (const std::string& word : server.args) line += ' ' + word;
  return line;
}

}  // namespace tern
