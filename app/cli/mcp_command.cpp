#include "app/cli/mcp_command.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "agent/mcp/oauth_store.h"
#include "app/cli/imported_servers.h"
#include "app/cli/mcp_probe.h"
#include "app/config/config_keys.h"
#include "app/config/jsonc.h"
#include "app/config/jsonc_edit.h"
#include "app/config/user_config.h"
#include "app/session/console.h"
#include "app/session/session_mcp.h"
#include "compression/text/figures.h"
#include "tools/workspace/private_file.h"

namespace tern {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string text_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

McpServers servers_of_flag(const std::string& given, std::string& error) {
  const bool text = given.find('{') != std::string::npos;
  std::error_code ignored;
  if (!text && !fs::is_regular_file(given, ignored) && error.empty())
    error = "--mcp-config: there is no file " + given;
  if (!error.empty()) return {};
  return read_mcp_servers(text ? given : text_of_file(given), text ? "--mcp-config" : given, McpScope::flag,
                          process_variables());
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

int complain(const std::string& text, int status = 1) {
  print(stderr, "tern: " + text + "\n");
  return status;
}

// What the words of one `tern mcp` command say.
struct Asked {
  std::vector<std::string> words;  // without flags
  std::vector<std::string> after;  // what follows "--"
  bool project = false, calls = false, agrees = false;
  std::string transport, wrong, given;
  Json env = Json::object(), headers = Json::object(), oauth = Json::object();
};

void take_pair(Json& into, const std::string& text, char between, Asked& asked) {
  const std::size_t at = text.find(between);
  if (at == 0 || at == text.npos) {
    asked.wrong = "\"" + text + "\" is not NAME" + between + "VALUE";
    return;
  }
  into[text.substr(0, at)] = text.substr(
      text.find_first_not_of(' ', at + 1) == text.npos ? at + 1 : text.find_first_not_of(' ', at + 1));
}

Asked read_words(const std::vector<std::string>& words) {
  Asked asked;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto next = [&] { return i + 1 < words.size() ? words[++i] : std::string(); };
    if (word == "--") {
      asked.after.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      break;
    }
    if (word == "--project")
      asked.project = true;
    else if (word == "--call")
      asked.calls = true;
    else if (word == "--calls")
      asked.given = next();
    else if (word == "--agree")
      asked.agrees = true;
    else if (word == "--oauth")
      asked.oauth = Json::parse(next(), nullptr, false);
    else if (word == "--user")
      asked.project = false;
    else if (word == "--scope" || word == "-s")
      asked.project = next() == "project";
    else if (word == "--transport" || word == "-t")
      asked.transport = next();
    else if (word == "--env" || word == "-e")
      take_pair(asked.env, next(), '=', asked);
    else if (word == "--header" || word == "-H")
      take_pair(asked.headers, next(), ':', asked);
    else if (word.starts_with("--") && asked.words.size() < 2)
      asked.wrong = "unknown option " + word;
    else
      asked.words.push_back(word);
  }
  return asked;
}

class McpCommand {
 public:
  McpCommand(const Options& options, const Config& config)
      : options_(options), config_(config), asked_(read_words(options.arguments)) {
    std::error_code ignored;
    root_ = fs::weakly_canonical(options.cwd.empty() ? fs::current_path(ignored) : fs::path(options.cwd),
                                 ignored);
    user_file_ = user_config_file(environment());
  }

  int run() {
    const std::string verb = options_.arguments.empty() ? "list" : options_.arguments.front();
    if (!asked_.wrong.empty()) return complain(asked_.wrong, 2);
    if (verb == "list") return list();
    if (verb == "get") return get();
    if (verb == "add") return add();
    if (verb == "add-json") return add_json();
    if (verb == "remove") return remove();
    if (verb == "import") return import();
    if (verb == "login") return login();
    if (verb == "logout") return logout();
    if (verb == "probe") return probe();
    return complain("tern mcp does not know \"" + verb +
                        "\": list, get, add, add-json, remove, import, login, logout, probe",
                    2);
  }

 private:
  McpServers all() const {
    McpServers user = config_.mcp_servers.empty() ? McpServers{}
                                                  : read_mcp_servers(config_.mcp_servers, user_file_,
                                                                     McpScope::user, process_variables());
    return merge_mcp_servers({project_mcp_servers(root_), std::move(user)});
  }

  std::string word(std::size_t n) const { return n < asked_.words.size() ? asked_.words[n] : std::string(); }

  int list() const {
    const McpServers servers = all();
    const McpApprovals approvals(default_approvals_file());
    for (const std::string& problem : servers.problems) complain(problem);
    std::size_t longest = 0;
    bool any_waits = false;
    for (const McpServer& server : servers.servers) longest = std::max(longest, server.name.size());
    for (const McpServer& server : servers.servers) {
      const bool waits = !approvals.allow(root_, server);
      const bool let_out = approvals.of(root_, server) == EntryAnswer::granted;
      const bool outside = runs_outside(server) || (runs_in_sandbox(server) && let_out);
      any_waits |= waits && server.enabled;
      const char* state = outside ? "on, outside" : "on";
      if (waits) state = "not approved";
      if (!server.enabled) state = "off";
      const char* scope = server.scope == McpScope::project ? "project" : "user";
      print(stdout, padded(server.name, longest) + "  " + padded(state, 12) + "  " + padded(scope, 7) + "  " +
                        target_of(server) + "\n");
    }
    if (any_waits) print(stdout, "\n/mcp approve NAME in a session here lets one start.\n");
    if (servers.servers.empty() && servers.problems.empty())
      print(stdout, "There are no MCP servers. tern mcp add NAME -- COMMAND … adds one.\n");
    return servers.problems.empty() ? 0 : 1;
  }

  std::optional<McpServer> named() const {
    for (const McpServer& server : all().servers)
      if (server.name == word(0)) return server;
    complain("there is no MCP server \"" + word(0) + "\"; tern mcp list shows them");
    return std::nullopt;
  }

  int get() const {
    const auto server = named();
    if (!server) return 1;
    print(stdout, server->file.string() + "\n" + server->shown + "\n");
    return 0;
  }

  bool is_approved(const McpServer& server) const {
    if (McpApprovals(default_approvals_file()).allow(root_, server)) return true;
    complain("\"" + server.name +
             "\" comes with this project and is not approved; /mcp approve in a session");
    return false;
  }

  int login() const {
    const auto server = named();
    if (!server) return 1;
    if (!is_approved(*server)) return 1;
    return mcp_login(*server);
  }

  int logout() const {
    const auto server = named();
    if (!server) return 1;
    const std::string why =
        OAuthStore(default_tokens_file()).change(server->url, [](OAuthTokens& tokens) { tokens = {}; }, {});
    if (!why.empty()) return complain(why);
    print(stdout, "The tokens of " + server->name + " are deleted.\n");
    return 0;
  }

  // Of a configured server, or of an address or a command that is not.
  int probe() const {
    const bool address = word(0).starts_with("http://") || word(0).starts_with("https://");
    const McpProbe how{.calls = asked_.calls, .given = asked_.given, .agrees = asked_.agrees};
    if (!address && asked_.after.empty()) {
      const auto server = named();
      return server && is_approved(*server) ? mcp_probe(*server, how, TERN_VERSION) : 1;
    }
    Json entry = address ? Json{{"url", word(0)}} : Json{{"command", asked_.after}};
    if (!asked_.headers.empty()) entry["headers"] = asked_.headers;
    if (!asked_.env.empty()) entry["env"] = asked_.env;
    if (asked_.oauth.is_object() && !asked_.oauth.empty()) entry["oauth"] = asked_.oauth;
    const McpServers read =
        read_mcp_servers(Json{{"probe", entry}}.dump(), "probe", McpScope::flag, process_variables());
    if (read.servers.empty())
      return complain(read.problems.empty() ? "nothing to probe" : read.problems.front(), 2);
    return mcp_probe(read.servers.front(), how, TERN_VERSION);
  }

  // `tern mcp add NAME URL` or `tern mcp add NAME [--env A=b] -- COMMAND ARGUMENTS`.
  int add() {
    std::vector<std::string> line(
        asked_.words.begin() + std::min<std::ptrdiff_t>(1, std::ssize(asked_.words)), asked_.words.end());
    line.insert(line.end(), asked_.after.begin(), asked_.after.end());
    if (word(0).empty() || line.empty())
      return complain("write tern mcp add NAME URL, or tern mcp add NAME -- COMMAND …", 2);
    Json entry = Json::object();
    if (line.front().starts_with("http://") || line.front().starts_with("https://") ||
        asked_.transport == "http") {
      entry["type"] = "http";
      entry["url"] = line.front();
      if (!asked_.headers.empty()) entry["headers"] = asked_.headers;
    } else {
      entry["command"] = line.front();
      entry["args"] = std::vector<std::string>(line.begin() + 1, line.end());
      if (!asked_.env.empty()) entry["env"] = asked_.env;
    }
    return keep(word(0), entry);
  }

  int add_json() {
    const Json entry = Json::parse(word(1), nullptr, false);
    if (!entry.is_object())
      return complain("the entry must be a JSON object: tern mcp add-json NAME '{\"command\": …}'", 2);
    return keep(word(0), entry);
  }

  int keep(const std::string& name, const Json& entry) {
    const std::string text = Json{{name, entry}}.dump(2);
    const fs::path file = asked_.project ? root_ / ".mcp.json" : user_file_;
    const McpServers read = read_mcp_servers(text, file, McpScope::user, process_variables());
    if (!read.problems.empty()) return complain(read.problems.front(), 2);
    return write(file, name, entry.dump(2), "added");
  }

  int remove() {
    const McpServers servers = all();
    const auto found = std::find_if(servers.servers.begin(), servers.servers.end(),
                                    [&](const McpServer& s) { return s.name == word(0); });
    const bool unusable = found == servers.servers.end() && is_kept(word(0));
    if (unusable) return write(user_file_, word(0), "null", "removed");
    if (found == servers.servers.end())
      return complain("there is no MCP server \"" + word(0) + "\"; tern mcp list shows them");
    asked_.project = found->scope == McpScope::project;
    return write(asked_.project ? root_ / ".mcp.json" : user_file_, word(0), "null", "removed");
  }

  int write(const fs::path& file, const std::string& name, const std::string& json, const char* what) const {
    const std::string wrong = asked_.project ? write_project(file, name, json)
                                             : write_setting(user_file_, "mcpServers." + name, json);
    if (!wrong.empty()) return complain(wrong);
    print(stdout, name + " " + what + ": " + file.string() + "\n");
    return 0;
  }

  static std::string write_project(const fs::path& file, const std::string& name, const std::string& json) {
    const std::string text = text_of_file(file);
    std::string why;
    if (text.find_first_not_of(" \t\r\n") != text.npos && !parse_jsonc(text, why).is_object())
      return file.string() + " is not a JSON object. Nothing was written.";
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << set_jsonc(text, {"mcpServers", name}, json);
    return out.flush() ? std::string() : file.string() + " cannot be written.";
  }

  // Where other agents keep the servers of a user.
  static std::vector<std::pair<std::string, fs::path>> known_files() {
    const auto variable = environment();
    const fs::path home = variable("HOME");
    const std::string codex = variable("CODEX_HOME");
    return {{"claude", home / ".claude.json"},
            {"codex", (codex.empty() ? home / ".codex" : fs::path(codex)) / "config.toml"},
            {"gemini", home / ".gemini/settings.json"},
            {"opencode", home / ".config/opencode/opencode.json"},
            {"opencode", home / ".config/opencode/opencode.jsonc"},
            {"crush", home / ".config/crush/crush.json"}};
  }

  // Servers of other agents' files into the user's own; what is there already stays.
  int import() {
    std::vector<fs::path> files;
    for (const auto& [agent, file] : known_files())
      if (asked_.words.empty() || word(0) == agent) files.push_back(file);
    if (files.empty()) files.emplace_back(word(0));
    const auto is_there = [](const fs::path& file) {
      std::error_code ignored;
      return fs::is_regular_file(file, ignored);
    };
    if (!asked_.words.empty() && std::none_of(files.begin(), files.end(), is_there))
      return complain("there is no file " + files.front().string());
    int added = 0;
    std::string wrong;
    for (const fs::path& file : files) {
      const ImportedServers found = imported_servers(text_of_file(file), file, root_);
      for (const std::string& note : found.notes) complain(note);
      for (const auto& [name, entry] : found.entries) added += take(file, name, entry, wrong);
    }
    print(stdout, added == 0 ? "Nothing new was found in " + names_of(files) + ".\n"
                             : counted(added, "server") + " added to " + user_file_.string() + "\n");
    return wrong.empty() ? 0 : complain(wrong);
  }

  // In the user's file as it is now, of use or not.
  bool is_kept(const std::string& name) const {
    std::string ignored;
    const nlohmann::json root = parse_jsonc(text_of_file(user_file_), ignored);
    const auto servers = root.is_object() ? root.find("mcpServers") : root.end();
    return servers != root.end() && servers->is_object() && servers->contains(name);
  }

  static std::string names_of(const std::vector<fs::path>& files) {
    std::string names;
    for (const fs::path& file : files) names += (names.empty() ? "" : ", ") + file.string();
    return names;
  }

  int take(const fs::path& file, const std::string& name, const nlohmann::json& entry, std::string& wrong) {
    if (is_kept(name)) return 0;
    const Variables any = [](const std::string& variable) {
      const char* value = std::getenv(variable.c_str());
      return value == nullptr ? "unset" : value;
    };
    const McpServers read = read_mcp_servers(nlohmann::json{{name, entry}}.dump(), file, McpScope::user, any);
    for (const std::string& problem : read.problems) complain(problem);
    if (read.servers.empty()) return 0;
    const std::string why = write_setting(user_file_, "mcpServers." + name, entry.dump(2));
    if (!why.empty()) wrong = why;
    if (why.empty()) print(stdout, name + " taken over from " + file.string() + "\n");
    std::vector<std::string> missing;
    expand_variables(entry.dump(), process_variables(), missing);
    if (why.empty() && !missing.empty())
      complain(name + " needs the variable " + missing.front() + ", which is not set here");
    return why.empty() ? 1 : 0;
  }

  const Options& options_;
  const Config& config_;
  Asked asked_;
  fs::path root_, user_file_;
};

}  // namespace

void set_mcp(const Options& options, const Config& config, SessionSetup& setup, std::string& error) {
  setup.mcp_project = !options.strict_mcp;
  std::vector<McpServers> lists;
  if (!options.strict_mcp && !config.mcp_servers.empty())
    lists.push_back(
        read_mcp_servers(config.mcp_servers, setup.user_file, McpScope::user, process_variables()));
  for (const auto& given : options.mcp_configs) lists.push_back(servers_of_flag(given, error));
  setup.mcp = merge_mcp_servers(std::move(lists));
}

int run_mcp(const Options& options, const Config& config) { return McpCommand(options, config).run(); }

}  // namespace tern
