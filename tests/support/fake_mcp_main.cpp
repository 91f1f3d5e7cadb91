// fake_mcp SCENARIO: an MCP server on stdio for tests. The scenario is JSON text:
//   {"era": "legacy" | "modern",     refuses the other one's opening
//    "tools": N,                     so many tools t0, t1 … beside those that do something; "page": N on a
//    page "noise": true,                  lines on stdout that are no messages "stderr": BYTES, written
//    before anything else "waits_for": "FILE",             answers nothing before the file is there "silent":
//    true,                 reads and never answers "resources": true,               note:///one and the
//    template note:///{name} "many": N,                      so many prompts, resources and templates, too;
//    on pages as tools are "wants": true,                  asks for a sampling when it is opened, which
//    nobody supports "lists_once": "FILE",           answers no second list of tools before the file is there
//    "asks": true,                    a tool more: ask, which asks the person; "form" is its schema
//    "roots": true,                  asks for the roots before it answers "initialize"
//    "schema_bytes": N,              of padding in each description
//    "log": "FILE"}                  gets each line that arrives
// Tools: echo {text}, never, crash, fail {text}, big {bytes}, steps {count, pause} (tells progress), grow (a
// tool more, five notices), broken (bad UTF-8), variable {name} (of its environment), picture, shape
// (structured content), write {path}. Prompts: greet {who, tone}.
#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

namespace {

using nlohmann::json;

struct Server {
  json scenario;
  std::ofstream log;
  int extra = 0;
  bool listed = false;
  json asking;  // the call that waits for the person

  static void say(const json& message) { std::cout << message.dump() << std::endl; }
  static void answer(const json& id, const json& result) {
    say({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
  }
  static void refuse(const json& id, int code, const std::string& why) {
    say({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", why}}}});
  }
  static void notify(const std::string& method, const json& params) {
    say({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
  }
  static json text_result(const std::string& text) {
    return {{"content", {{{"type", "text"}, {"text", text}}}}};
  }

  json tools() const {
    json list = json::array();
    const std::string pad(scenario.value("schema_bytes", 0), 'd');
    const auto add = [&](const std::string& name, bool reads) {
      list.push_back({{"name", name},
                      {"description", "Does " + name + ". " + pad},
                      {"inputSchema", {{"type", "object"}, {"properties", {{"text", {{"type", "string"}}}}}}},
                      {"annotations", {{"readOnlyHint", reads}}}});
    };
    for (const char* name : {"big", "broken", "crash", "echo", "fail", "grow", "never", "picture", "shape",
                             "steps", "variable", "write"})
      add(name, std::string(name) == "echo");
    if (scenario.value("asks", false)) add("ask", false);
    for (int i = 0; i < scenario.value("tools", 0) + extra; ++i) add("t" + std::to_string(i), false);
    return list;
  }

  void list_page(const json& id, const json& params, const char* member, const json& all) const {
    const std::size_t page = scenario.value("page", all.size()),
                      from = std::stoul(params.value("cursor", "0"));
    json result{{member, json::array()}};
    for (std::size_t i = from; i < all.size() && i < from + page; ++i) result[member].push_back(all[i]);
    if (from + page < all.size()) result["nextCursor"] = std::to_string(from + page);
    answer(id, result);
  }

  void list_tools(const json& id, const json& params) {
    const std::string awaited = scenario.value("lists_once", "");
    while (!awaited.empty() && listed && ::access(awaited.c_str(), F_OK) != 0) ::poll(nullptr, 0, 5);
    listed = true;
    list_page(id, params, "tools", tools());
  }

  json numbered(const json& first, const char* key, const std::string& begin) const {
    json all = json::array();
    if (!first.is_null()) all.push_back(first);
    for (int i = 0; i < scenario.value("many", 0); ++i)
      all.push_back({{key, begin + std::to_string(i)}, {"name", "p" + std::to_string(i)}});
    return all;
  }

  bool modern() const { return scenario.value("era", "legacy") == "modern"; }

  void ask(const json& id, const json& params) {
    const json question{{"message", "Who are you?"},
                        {"requestedSchema", scenario.value("form", json::object())}};
    if (params.contains("inputResponses"))
      return answer(id, text_result(params["inputResponses"]["who"].dump()));
    if (modern())
      return answer(id,
                    {{"resultType", "input_required"},
                     {"inputRequests", {{"who", {{"method", "elicitation/create"}, {"params", question}}}}},
                     {"requestState", "s"}});
    asking = id;
    say({{"jsonrpc", "2.0"}, {"id", "q1"}, {"method", "elicitation/create"}, {"params", question}});
  }

  bool offer(const json& id, const std::string& method, const json& params) const {
    if (method == "prompts/list") {
      const json who{{"name", "who"}, {"description", "whom to greet"}, {"required", true}},
          tone{{"name", "tone"}};
      const json greet{{"name", "greet"}, {"description", "Greets somebody"}, {"arguments", {who, tone}}};
      list_page(id, params, "prompts", numbered(greet, "title", "p"));
    } else if (method == "prompts/get") {
      const json args = params.value("arguments", json::object());
      const std::string text =
          "Greet " + args.value("who", "nobody") + " in a " + args.value("tone", "plain") + " tone.";
      answer(id, {{"messages", {{{"role", "user"}, {"content", {{"type", "text"}, {"text", text}}}}}}});
    } else if (method == "resources/list") {
      list_page(id, params, "resources",
                numbered({{"uri", "note:///one"}, {"name", "the first note"}}, "uri", "note:///r"));
    } else if (method == "resources/templates/list") {
      const json any{{"uriTemplate", "note:///{name}"}, {"name", "a note"}};
      list_page(id, params, "resourceTemplates", numbered(any, "uriTemplate", "note:///{t}"));
    } else if (method == "resources/read") {
      const std::string uri = params.value("uri", "");
      answer(id, {{"contents", {{{"uri", uri}, {"text", "the text of " + uri}}}}});
    } else {
      return false;
    }
    return true;
  }

  void call(const json& id, const json& params) {
    const std::string name = params.value("name", "");
    const json args = params.value("arguments", json::object());
    if (name == "echo") return answer(id, text_result("echo: " + args.value("text", "")));
    if (name == "never") return;
    if (name == "ask") return ask(id, params);
    if (name == "crash")
      std::cerr << "the crash was asked for" << std::endl,
          std::_Exit(7);  // a leak check would have a word of its own
    if (name == "fail")
      return answer(id, {{"content", {{{"type", "text"}, {"text", args.value("text", "it failed")}}}},
                         {"isError", true}});
    if (name == "big") return answer(id, text_result(std::string(args.value("bytes", 0), 'x')));
    if (name == "variable") {
      const char* value = std::getenv(args.value("name", "").c_str());
      return answer(id, text_result(value == nullptr ? "(not set)" : value));
    }
    if (name == "write") {
      std::ofstream file(args.value("path", ""));
      return answer(id, text_result(file << "x" << std::flush ? "written" : "not written"));
    }
    if (name == "broken") {
      std::cout << R"({"jsonrpc":"2.0","id":)" << id << R"(,"result":{"content":[{"type":"text","text":"a)"
                << "\xff"
                << R"(\ud83d"}]}})" << std::endl;
      return;
    }
    if (name == "steps") {
      const json token = params.value("_meta", json::object()).value("progressToken", json());
      const int count = args.value("count", 3);
      for (int i = 1; i <= count; ++i, ::poll(nullptr, 0, args.value("pause", 0)))
        notify("notifications/progress",
               {{"progressToken", token}, {"progress", i}, {"total", count}, {"message", "step"}});
      return answer(id, text_result("done"));
    }
    if (name == "grow") {
      ++extra;
      for (int i = 0; i < 5; ++i) notify("notifications/tools/list_changed", json::object());
      return answer(id, text_result("grown"));
    }
    if (name == "shape")
      return answer(
          id, {{"content", {{{"type", "text"}, {"text", "{\"a\": 1}"}}}}, {"structuredContent", {{"a", 1}}}});
    refuse(id, -32602, "unknown tool " + name);
  }

  bool open(const json& id, const std::string& method) {
    json offers{{"tools", {{"listChanged", true}}}, {"prompts", json::object()}};
    if (scenario.value("resources", false)) offers["resources"] = json::object();
    if (method == "initialize") {
      if (scenario.value("wants", false))
        say({{"jsonrpc", "2.0"}, {"id", "s1"}, {"method", "sampling/createMessage"}});
      if (scenario.value("roots", false)) say({{"jsonrpc", "2.0"}, {"id", "r1"}, {"method", "roots/list"}});
      if (modern()) return refuse(id, -32022, "unsupported protocol version"), true;
      answer(id, {{"protocolVersion", "2025-11-25"},
                  {"capabilities", offers},
                  {"serverInfo", {{"name", "fake"}, {"version", "1"}}},
                  {"instructions", "Use echo."}});
      return true;
    }
    if (method != "server/discover" || !modern()) return false;
    answer(
        id,
        {{"supportedVersions", {"2026-07-28"}}, {"capabilities", {{"tools", json::object()}}}, {"ttlMs", 0}});
    return true;
  }

  void hear(const json& message) {
    const std::string method = message.value("method", "");
    const json id = message.value("id", json()), params = message.value("params", json::object());
    if (method.empty() && id == "q1")
      return answer(asking, text_result(message.value("result", json()).dump()));
    if (id.is_null() || method.empty() || scenario.value("silent", false)) return;
    if (open(id, method)) return;
    if (method == "tools/list") return list_tools(id, params);
    if (method == "tools/call") return call(id, params);
    if (offer(id, method, params)) return;
    refuse(id, -32601, "Method not found");
  }
};

}  // namespace

int main(int argc, char** argv) {
  Server server;
  server.scenario = json::parse(argc > 1 ? argv[1] : "{}");
  if (server.scenario.contains("log"))
    server.log.open(server.scenario["log"].get<std::string>(), std::ios::app);
  const std::string block(1 << 16, 'e');
  for (std::size_t left = server.scenario.value("stderr", std::size_t{0}); left > 0;
       left -= std::min(left, block.size()))
    std::cerr.write(block.data(), static_cast<std::streamsize>(std::min(left, block.size())));
  if (server.scenario.value("noise", false))
    std::cout << "Server listening\n\n[1]\n\xff\xfe\n{\"a\":\n" << std::flush;
  const std::string awaited = server.scenario.value("waits_for", "");
  while (!awaited.empty() && ::access(awaited.c_str(), F_OK) != 0) ::poll(nullptr, 0, 5);
  for (std::string line; std::getline(std::cin, line);) {
    if (server.log) server.log << line << std::endl;
    const json message = json::parse(line, nullptr, false);
    if (message.is_object()) server.hear(message);
  }
}
