#include "app/cli/mcp_probe.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "agent/mcp/client.h"
#include "agent/mcp/elicitation.h"
#include "agent/mcp/http_link.h"
#include "agent/mcp/oauth_keeper.h"
#include "agent/mcp/sign_in.h"
#include "agent/mcp/stdio_link.h"
#include "agent/models/http.h"
#include "app/session/console.h"
#include "compression/text/lines.h"
#include "tools/sandbox/child_env.h"

namespace tern {

namespace {

using nlohmann::json;

constexpr std::size_t kLongestLine = 64u << 10;
constexpr int kMostSignIns = 3;

// Lines of standard input go to `way` until `over` is readable.
void read_pasted(SignIn& way, int over) {
  std::string text;
  for (bool open = true; true;) {
    pollfd fds[2] = {{over, POLLIN, 0}, {open ? STDIN_FILENO : -1, POLLIN, 0}};
    ::poll(fds, 2, -1);
    if (fds[0].revents != 0) return;
    char part[4096];
    const ssize_t got = ::read(STDIN_FILENO, part, sizeof part);
    open = got > 0 && text.size() < kLongestLine;
    if (got > 0) text.append(part, static_cast<std::size_t>(got));
    for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
      const std::string line(trimmed(text.substr(0, end)));
      text.erase(0, end + 1);
      if (!line.empty() && !way.give(line))
        print(stderr, "That isn't the address this sign-in ends at: its \"state\" is missing.\n");
    }
  }
}

// The browser of nobody: where the authorization server sends it at once, it goes.
std::string agree(const McpServer& server) {
  SignIn way(server, default_tokens_file());
  std::stop_source stop;
  const std::string why = way.run(
      [&](const std::string& url) {
        const HttpAnswer answer = http_get(url, {}, std::chrono::seconds(20));
        if (!way.give(std::string(answer.result.head["location"]))) stop.request_stop();
      },
      stop.get_token());
  if (!why.empty()) print(stderr, "sign-in: " + why + "\n");
  return why;
}

json simplest(const json& schema) {
  if (!schema.is_object()) return "";
  if (schema.contains("default")) return schema["default"];
  if (const auto values = schema.find("enum");
      values != schema.end() && values->is_array() && !values->empty())
    return values->front();
  const json type = schema.value("type", json("string"));
  if (type == "number" || type == "integer") return schema.value("minimum", json(1));
  if (type == "boolean") return true;
  if (type == "array") return json::array();
  if (type != "object") return "x";
  json object = json::object();
  const json properties = schema.value("properties", json::object());
  for (const auto& name : schema.value("required", json::array()))
    if (name.is_string())
      object[name.get<std::string>()] = simplest(properties.value(name.get<std::string>(), json()));
  return object;
}

class Probe {
 public:
  Probe(const McpServer& server, const McpProbe& how, const std::string& version)
      : server_(server), how_(how) {
    settings_.version = version;
    settings_.start_timeout = server.start_timeout;
    settings_.call_timeout = server.call_timeout;
    settings_.roots = {std::filesystem::current_path()};
    if (how.agrees)
      settings_.on_question = [](const json& params, std::stop_token) {
        return accept_with_defaults(params);
      };
  }

  int run() {
    if (!open()) return 1;
    const McpServerInfo& info = client_->info();
    print(stdout, server_.name + ": " + info.name + " " + info.version + ", MCP " + info.protocol + "\n");
    const McpList tools = list("tools/list", "tools");
    print_names("tools", tools, "name");
    if (client_->offers("prompts")) print_names("prompts", list("prompts/list", "prompts"), "name");
    if (client_->offers("resources")) print_names("resources", list("resources/list", "resources"), "uri");
    for (const json& tool : how_.calls ? tools.entries : std::vector<json>())
      call(member_text(tool, "name"), simplest(tool.value("inputSchema", json{{"type", "object"}})));
    const json given = json::parse(how_.given, nullptr, false);
    for (const json& each : given.is_array() ? given : json::array())
      call(member_text(each, "name"), each.value("arguments", json::object()));
    client_->close();
    return tools.trouble.empty() ? 0 : 1;
  }

 private:
  bool open() {
    while (true) {
      client_ = std::make_unique<McpClient>(link(), settings_);
      const std::string why = client_->open({});
      if (why.empty()) return client_->listen(), true;
      const bool again =
          how_.agrees && client_->wants_sign_in() && sign_ins_++ < kMostSignIns && agree(server_).empty();
      if (!again) print(stderr, server_.name + ": " + why + "\n");
      if (!again) return false;
    }
  }

  std::unique_ptr<McpLink> link() const {
    if (server_.transport == McpTransport::http) return http_link();
    ProcessSpec spec;
    spec.argv = {server_.command};
    spec.argv.insert(spec.argv.end(), server_.args.begin(), server_.args.end());
    spec.cwd = std::filesystem::current_path() / server_.cwd;
    spec.env = child_env(current_env(), {}, {});
    for (const auto& [name, value] : server_.env) spec.env.push_back(name + "=" + value);
    return std::make_unique<StdioLink>(std::move(spec));
  }

  std::unique_ptr<McpLink> http_link() const {
    auto link = std::make_unique<HttpLink>(server_.url, server_.headers, server_.call_timeout,
                                           std::make_shared<OAuthKeeper>(server_, default_tokens_file()));
    if (server_.headers_helper.empty()) return link;
    const auto root = std::filesystem::current_path();
    link->set_more_headers(headers_of_helper(helper_spec(server_, root, child_env(current_env(), {}, {}))));
    return link;
  }

  // A sign-in that does not cover what is asked for is made anew, a few times.
  template <typename Ask>
  auto covered(Ask ask) {
    while (true) {
      auto answer = ask();
      const bool again = how_.agrees && client_->wants_sign_in() && sign_ins_++ < kMostSignIns &&
                         agree(server_).empty() && open();
      if (!again) return answer;
    }
  }

  McpList list(const char* method, const char* member) {
    return covered([&] { return client_->list(method, member); });
  }

  static void print_names(const char* what, const McpList& list, const char* member) {
    print(stdout, std::to_string(list.entries.size()) + " " + what +
                      (list.trouble.empty() ? "" : " (" + list.trouble + ")") + "\n");
    for (const json& each : list.entries) print(stdout, "  " + member_text(each, member) + "\n");
  }

  void call(const std::string& name, const json& arguments) {
    const json params{{"name", name}, {"arguments", arguments}};
    const McpAnswer answer = covered([&] { return client_->request("tools/call", params); });
    print(stdout,
          name + ": " +
              (answer.failure == McpFailure::none ? clipped(one_line(answer.result), 200) : answer.why) +
              "\n");
  }

  McpServer server_;
  McpProbe how_;
  McpClientSettings settings_;
  int sign_ins_ = 0;
  std::unique_ptr<McpClient> client_;
};

}  // namespace

int mcp_login(const McpServer& server) {
  if (server.transport != McpTransport::http) {
    print(stderr, "tern: \"" + server.name + "\" runs on this machine and needs no sign-in\n");
    return 1;
  }
  SignIn way(server, default_tokens_file());
  const int over = ::eventfd(0, EFD_CLOEXEC);
  std::string why;
  std::jthread worker([&](std::stop_token stop) {
    why = way.run(
        [&](const std::string& url) {
          print(stdout, "Open this address to sign in to " + server.name + ":\n\n" + url +
                            "\n\nIf the browser is on another machine, its last page cannot be shown there. "
                            "Copy that page's "
                            "address and paste it here.\n");
        },
        stop);
    const std::uint64_t one = 1;
    if (::write(over, &one, sizeof one) < 0) return;
  });
  read_pasted(way, over);
  worker.join();
  ::close(over);
  print(why.empty() ? stdout : stderr, why.empty()
                                           ? "Signed in to " + server.name + ".\n"
                                           : "tern: not signed in to " + server.name + ": " + why + "\n");
  return why.empty() ? 0 : 1;
}

int mcp_probe(const McpServer& server, const McpProbe& how, const std::string& version) {
  return Probe(server, how, version).run();
}

}  // namespace tern
