// Servers in a session of the real program: what the model is offered, what is asked, what a project may
// start.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/support/fake_issuer.h"
#include "tests/support/fake_llm.h"
#include "tests/support/headless.h"
#include "tests/support/mcp_rig.h"
#include "tests/support/places.h"

using namespace tern;
using nlohmann::json;
using test::FakeLlm;
using test::Headless;
using test::Home;

namespace {

json fake_entry(const std::string& scenario = "{}") {
  return {{"command", places::mcp_server()}, {"args", {scenario}}};
}

std::string servers_text(const json& servers) { return json{{"mcpServers", servers}}.dump(); }

struct Answered {
  std::string text, errors;
  std::vector<std::string> requests;
  int status = 0;
};

Answered answer(const Home& home, const char* scenario, const std::vector<std::string>& more,
                const char* prompt = "go on") {
  const FakeLlm model(scenario);
  std::vector<std::string> words = {"-p", prompt, "--verbose"};
  words.insert(words.end(), more.begin(), more.end());
  Headless tern(home, test::wires()[0], model.url(), words);
  Answered answered;
  tern.close_input();
  while (const auto line = tern.line()) answered.text += *line + "\n";
  answered.status = tern.wait();
  answered.errors = tern.errors();
  for (const auto& request : model.requests()) answered.requests.push_back(request.body);
  return answered;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// How many processes have this in their command line.
int processes_with(const std::string& mark) {
  int n = 0;
  std::error_code ignored;
  for (const auto& each : std::filesystem::directory_iterator("/proc", ignored)) {
    std::ifstream in(each.path() / "cmdline");
    std::string line;
    std::getline(in, line, '\xff');  // all of it; one that is just ending gives nothing, and no exception
    n += line.find(mark) != std::string::npos;
  }
  return n;
}

constexpr const char* kEcho = R"({"replies":[
  {"calls":[{"name":"McpTools","arguments":{"query":"echo"}}]},
  {"calls":[{"name":"McpCall","arguments":{"server":"a","tool":"echo","arguments":{"text":"over here"}}}]},
  {"text":"done"}]})";

}  // namespace

TEST_CASE(
    "a server's tool is found, allowed by a rule for its server and called; the tools of the request stay "
    "the same") {
  const Home home;
  const Answered ran = answer(
      home, kEcho, {"--mcp-config", servers_text({{"a", fake_entry()}}), "--allowed-tools", "mcp__a__*"});
  REQUIRE(ran.requests.size() == 3);
  CHECK(ran.text.find("done") != std::string::npos);
  CHECK(ran.requests[2].find("echo: over here") != std::string::npos);
  CHECK(json::parse(ran.requests[0])["tools"] == json::parse(ran.requests[2])["tools"]);
}

TEST_CASE("without a rule a server's tool is not run where nobody can be asked, also behind McpCall") {
  const Home home;
  const std::string flag = servers_text({{"a", fake_entry()}});
  const Answered ran = answer(home, kEcho, {"--mcp-config", flag});
  REQUIRE(ran.requests.size() == 3);
  CHECK(ran.requests[2].find("echo: over here") == std::string::npos);
  CHECK(ran.requests[2].find("Permission refused") != std::string::npos);
  const Answered denied = answer(
      home, kEcho, {"--mcp-config", flag, "--allowed-tools", "mcp__a", "--disallowed-tools", "mcp__a__echo"});
  REQUIRE(denied.requests.size() == 3);
  CHECK(denied.requests[2].find("echo: over here") == std::string::npos);
}

TEST_CASE("a project's server does not start before it is approved, and its tools are not there") {
  const Home home;
  const std::string touched = (home.path / "started").string();
  std::ofstream(home.work / ".mcp.json") << servers_text({{"a", fake_entry(json{{"log", touched}}.dump())}});
  const Answered ran = answer(home, kEcho, {"--allowed-tools", "mcp__a"});
  REQUIRE(ran.requests.size() == 3);
  CHECK(ran.errors.find("wait for your approval: a") != std::string::npos);
  CHECK(ran.requests[2].find("There is no MCP tool") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(touched));
}

TEST_CASE("an entry says of single tools what runs unasked, what asks and what is not there") {
  const Home home;
  const auto ran_with = [&](const char* policy) {
    json entry = fake_entry();
    entry["tools"] = {{{"name", "echo"}, {"permission_policy", policy}}};
    return answer(home, kEcho, {"--mcp-config", servers_text({{"a", entry}})});
  };
  CHECK(ran_with("always_allow").requests.at(2).find("echo: over here") != std::string::npos);
  CHECK(ran_with("always_ask").requests.at(2).find("Permission refused") != std::string::npos);
  CHECK(ran_with("always_deny").requests.at(2).find("There is no MCP tool") != std::string::npos);
}

TEST_CASE(
    "services with a tool search of their own load a tool that is called by its name, in all of a session") {
  for (const test::Wire& wire : test::wires()) {
    if (wire.mark != "/messages" && wire.mark != "/responses") continue;
    INFO(wire.name);
    const Home home;
    std::ofstream(home.path / ".config/tern/config.json") << json{
        {"trusted", {home.work.string()}},
        {"providers", {{wire.provider, {{"toolSearch", true}}}}}}.dump();
    const FakeLlm model(R"({"replies":[
      {"calls":[{"name":"McpTools","arguments":{"query":"echo"}}]},
      {"calls":[{"name":"mcp__a__echo","arguments":{"text":"over here"}}]},
      {"text":"done"}]})");
    Headless tern(home, wire, model.url(),
                  {"-p", "go on", "--mcp-config", servers_text({{"a", fake_entry(R"({"tools":30})")}}),
                   "--allowed-tools", "mcp__a"});
    tern.close_input();
    while (tern.line()) {}
    CHECK(tern.wait() == 0);
    const auto requests = model.requests();
    REQUIRE(requests.size() == 3);
    CHECK(requests[2].body.find("echo: over here") != std::string::npos);
    CHECK(model.shape_problems() == std::vector<std::string>{});
    json before = json::parse(requests[0].body)["tools"], after = json::parse(requests[2].body)["tools"];
    CHECK(before.dump().find("McpCall") == std::string::npos);
    std::erase_if(after.get_ref<json::array_t&>(),
                  [](const json& tool) { return tool.value("defer_loading", false); });
    CHECK(after == before);
  }
}

TEST_CASE("--strict-mcp-config leaves all servers but those of the flag out") {
  const Home home;
  std::ofstream(home.work / ".mcp.json") << servers_text({{"p", fake_entry()}});
  const Answered ran = answer(home, R"({"replies":[{"text":"hi"}]})", {"--strict-mcp-config"});
  REQUIRE(ran.requests.size() == 1);
  CHECK(ran.requests[0].find("McpTools") == std::string::npos);
  CHECK(ran.errors.find("approval") == std::string::npos);
}

TEST_CASE("a server that is broken is told of, and the answer comes all the same") {
  const Home home;
  const Answered ran = answer(home, kEcho, {"--mcp-config", R"({"a":{"command":"/no/such/server"}})"});
  REQUIRE(ran.requests.size() == 3);
  CHECK(ran.requests[1].find("is not running") != std::string::npos);
  CHECK(ran.text.find("done") != std::string::npos);
}

TEST_CASE("a call of a server that is still starting waits for it") {
  const Home home;
  const Answered ran =
      answer(home, R"({"replies":[
    {"calls":[{"name":"McpCall","arguments":{"server":"a","tool":"echo","arguments":{"text":"at once"}}}]},{"text":"done"}]})",
             {"--mcp-config", servers_text({{"a", fake_entry()}}), "--allowed-tools", "mcp__a"});
  REQUIRE(ran.requests.size() == 2);
  CHECK(ran.requests[1].find("echo: at once") != std::string::npos);
}

TEST_CASE("a server's prompt is a command behind -p, with its arguments, and says whose words it is") {
  const Home home;
  const char* hi = R"({"replies":[{"text":"hi"}]})";
  const std::string flag = servers_text({{"a", fake_entry()}});
  const Answered ran = answer(home, hi, {"--mcp-config", flag}, "/a:greet Bob very warm");
  REQUIRE(ran.requests.size() == 1);
  CHECK(ran.requests[0].find("Greet Bob in a very warm tone.") != std::string::npos);
  CHECK(ran.requests[0].find("in the words of the MCP server") != std::string::npos);
  const Answered without = answer(home, hi, {"--mcp-config", flag}, "/a:greet");
  CHECK(without.requests.empty());
  CHECK(without.status != 0);
  CHECK((without.text + without.errors).find("/a:greet needs who") != std::string::npos);
  const Answered unknown = answer(home, hi, {"--mcp-config", flag}, "/a:nope");
  CHECK(unknown.requests.empty());
}

TEST_CASE("a resource that is mentioned is read into the prompt; an address of mail is none") {
  const Home home;
  const char* hi = R"({"replies":[{"text":"hi"}]})";
  const std::string flag = servers_text({{"a", fake_entry(R"({"resources":true})")}});
  const Answered ran =
      answer(home, hi, {"--mcp-config", flag}, "mail x@a:note:///no about (@a:note:///one), @b:none");
  REQUIRE(ran.requests.size() == 1);
  CHECK(ran.requests[0].find("the text of note:///one") != std::string::npos);
  CHECK(ran.requests[0].find("the text of note:///no\"") == std::string::npos);
  CHECK(ran.requests[0].find("[@b:none") == std::string::npos);
}

TEST_CASE("a resource is a tool to the model") {
  const Home home;
  const Answered ran = answer(home, R"({"replies":[
    {"calls":[{"name":"McpCall","arguments":{"server":"a","tool":"read_resource","arguments":{"uri":"note:///two"}}}]},{"text":"done"}]})",
                              {"--mcp-config", servers_text({{"a", fake_entry(R"({"resources":true})")}}),
                               "--allowed-tools", "mcp__a"});
  REQUIRE(ran.requests.size() == 2);
  CHECK(ran.requests[1].find("the text of note:///two") != std::string::npos);
}

TEST_CASE("where nobody can be asked a server's question is declined and the call ends") {
  const Home home;
  const Answered ran = answer(
      home, R"({"replies":[
    {"calls":[{"name":"McpCall","arguments":{"server":"a","tool":"ask","arguments":{}}}]},{"text":"done"}]})",
      {"--mcp-config", servers_text({{"a", fake_entry(R"({"asks":true})")}}), "--allowed-tools", "mcp__a"});
  REQUIRE(ran.requests.size() == 2);
  CHECK(ran.requests[1].find("decline") != std::string::npos);
}

TEST_CASE("a server that wants a sign-in is told of with what to do, and is not asked again and again") {
  const Home home;
  const test::FakeIssuer issuer;
  const Answered ran =
      answer(home, kEcho, {"--mcp-config", servers_text({{"a", {{"url", issuer.server().url}}}})});
  REQUIRE(ran.requests.size() == 3);
  CHECK(ran.errors.find("needs a sign-in: /mcp login a") != std::string::npos);
  CHECK(ran.requests[1].find("it needs a sign-in") != std::string::npos);
  CHECK(issuer.count("/mcp") <= 2);
  const json first = json::parse(ran.requests[0]);
  for (const json& tool : first.at("tools"))  // no tool stands for a sign-in
    CHECK(tool["name"].get<std::string>().find("mcp__") == std::string::npos);
}

TEST_CASE("kill -9 of tern leaves no server behind") {
  const Home home;
  const auto log = home.work / "server-log";
  const FakeLlm model(
      R"({"replies":[{"calls":[{"name":"McpCall","arguments":{"server":"a","tool":"never","arguments":{}}}]}]})");
  Headless tern(
      home, test::wires()[0], model.url(),
      {"-p", "go on", "--mcp-config", servers_text({{"a", fake_entry(json{{"log", log.string()}}.dump())}}),
       "--allowed-tools", "mcp__a"});
  tern.close_input();
  REQUIRE(test::comes_true([&] { return text_of(log).find("tools/call") != std::string::npos; },
                           std::chrono::seconds(60)));
  CHECK(processes_with(log.string()) >= 2);
  tern.kill();
  CHECK(test::comes_true([&] { return processes_with(log.string()) == 0; }, std::chrono::seconds(30)));
}

TEST_CASE("three servers of 44 tools that are ready cost a first request at most 2.2 KB, on every wire") {
  const char* hi = R"({"replies":[{"text":"hi"}]})";
  for (const test::Wire& wire : test::wires()) {
    INFO(wire.name);
    const auto first = [&](bool with) {
      const Home home;
      const FakeLlm model(hi);
      json servers = json::object();
      for (const char* name : {"first", "second", "third"})  // each too dear alone, should one be late
        servers[name] = fake_entry(
            json{{"tools", 3}, {"schema_bytes", 700}, {"log", (home.work / name).string()}}.dump());
      std::vector<std::string> words = {"-p",          "--input-format", "stream-json", "--output-format",
                                        "stream-json", "--verbose"};
      if (with) words.insert(words.end(), {"--mcp-config", servers_text(servers)});
      Headless tern(home, wire, model.url(), words);
      for (const char* name : with ? std::vector{"first", "second", "third"} : std::vector<const char*>())
        CHECK(test::comes_true(
            [&] { return text_of(home.work / name).find("prompts/list") != std::string::npos; },
            std::chrono::seconds(60)));  // its last list: it is ready in a moment
      tern.write(R"({"type":"user","message":{"role":"user","content":"hi"}})");
      tern.close_input();
      while (tern.line()) {}
      return model.requests().at(0).body.size();
    };
    CHECK(first(true) - first(false) <= 2'200);
  }
}

TEST_CASE("what fifty requests begin with stays the same while a server ends and comes back") {
  constexpr int rounds = 50;
  json replies = json::array();
  for (int i = 1; i < rounds; ++i) {
    const json call{{"server", "a"},
                    {"tool", i % 20 == 10 ? "crash" : "echo"},
                    {"arguments", {{"text", "n" + std::to_string(i)}}}};
    replies.push_back({{"calls", {{{"name", "McpCall"}, {"arguments", call}}}}});
  }
  replies.push_back({{"text", "done"}});
  const Home home;
  const std::string flag = servers_text({{"a", fake_entry(R"({"tools":30})")}, {"b", fake_entry()}});
  const Answered ran = answer(home, json{{"replies", replies}}.dump().c_str(),
                              {"--mcp-config", flag, "--allowed-tools", "mcp__a"});
  REQUIRE(ran.requests.size() == rounds);
  json before;
  for (const std::string& body : ran.requests) {
    json now = json::parse(body);
    for (json& message : now["messages"])
      for (json& block : message["content"])
        block.erase("cache_control");  // the marker moves on, the bytes under it stay
    if (!before.is_null()) {
      CHECK(now["tools"] == before["tools"]);
      CHECK(now["system"] == before["system"]);
      REQUIRE(now["messages"].size() > before["messages"].size());
      CHECK(std::equal(before["messages"].begin(), before["messages"].end(), now["messages"].begin()));
    }
    before = std::move(now);
  }
  CHECK(ran.requests.back().find("echo: n49") != std::string::npos);
  CHECK(ran.requests.back().find("ended with exit status 7") != std::string::npos);
  CHECK(ran.requests.back().find("echo: n11") !=
        std::string::npos);  // the call behind the end had a server again
}

TEST_CASE("tern mcp import takes each server over once, also one whose variable is not set") {
  const Home home;
  const auto codex = home.path / ".codex/config.toml", claude = home.path / ".claude.json";
  std::filesystem::create_directories(codex.parent_path());
  std::ofstream(codex) << "[mcp_servers.web]\nurl = \"https://x/mcp\"\nbearer_token_env_var = \"NOT_SET\"\n";
  std::ofstream(claude) << servers_text({{"web", {{"command", "another"}}}});
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "mcp");
    Headless tern(home, test::wires()[0], "http://127.0.0.1:9", words);
    tern.close_input();
    std::string text;
    while (const auto line = tern.line()) text += *line + "\n";
    tern.wait();
    return text + tern.errors();
  };
  const std::string first = run({"import", codex.string()});
  CHECK(first.find("1 server added") != std::string::npos);
  CHECK(first.find("web needs the variable NOT_SET") != std::string::npos);
  CHECK(run({"import"}).find("Nothing new was found") != std::string::npos);
  CHECK(text_of(home.path / ".config/tern/config.json").find("another") == std::string::npos);
  CHECK(run({"remove", "web"}).find("web removed") != std::string::npos);
}
