// The pure parts of the protocol: diffs, prompts, servers, answers.
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "agent/mcp/file_uri.h"
#include "app/acp/acp_commands.h"
#include "app/acp/acp_diff.h"
#include "app/acp/acp_json.h"
#include "app/acp/acp_mcp.h"
#include "app/acp/acp_prompt.h"
#include "app/acp/acp_questions.h"
#include "app/acp/acp_updates.h"

using namespace tern;
using Json = nlohmann::json;

TEST_CASE("acp: each hunk of a diff is its lines before and after") {
  const auto parts =
      acp_diffs("@@ -3,3 +3,3 @@\n a\n-b\n+c\n d\n@@ -20,1 +20,2 @@\n x\n+y\n\\ No newline at end of file\n",
                "/p/f.txt");
  REQUIRE(parts.size() == 2);
  CHECK(parts[0] ==
        Json{{"type", "diff"}, {"path", "/p/f.txt"}, {"oldText", "a\nb\nd\n"}, {"newText", "a\nc\nd\n"}});
  CHECK(parts[1]["newText"] == "x\ny");
  CHECK(acp_diffs("@@ -0,0 +1,1 @@\n+é\n", "/f")[0]["oldText"].is_null());
  CHECK(acp_diffs("# A plan\n", "/f").empty());
  CHECK(first_changed_line("@@ -3,3 +17,3 @@\n") == 17);
  CHECK(first_changed_line("words") == 0);
}

TEST_CASE("acp: a prompt is read with its images, resources and links") {
  const auto prompt = read_prompt(Json::parse(R"([
    {"type": "text", "text": "Look at "},
    {"type": "resource_link", "name": "a b.cpp", "uri": "file:///work/p/src/a%20b.cpp"},
    {"type": "text", "text": " and "},
    {"type": "resource", "resource": {"uri": "file:///elsewhere/漢.txt", "text": "inside"}},
    {"type": "image", "mimeType": "image/png", "data": "aGVsbG8="},
    {"type": "resource", "resource": {"uri": "x:y", "blob": "aGVsbG8=", "mimeType": "application/zip"}}])"),
                                  "/work/p");
  CHECK(prompt.error.empty());
  CHECK(prompt.submit.text ==
        "Look at @src/a b.cpp and @/elsewhere/漢.txtx:y\n\n<context "
        "ref=\"@/elsewhere/漢.txt\">\ninside\n</context>"
        "\n\n[x:y is not text and was left out.]");
  REQUIRE(prompt.submit.attachments.size() == 1);
  CHECK(prompt.submit.attachments[0].bytes == "hello");
  CHECK(path_of_uri("file://localhost/a") == "/a");
  CHECK(path_of_uri("file://host/a").empty());
  CHECK(path_of_uri("file:///a%00b").empty());
  CHECK(path_of_uri("file:///a%zz%4") == "/a%zz%4");
  CHECK(path_of_uri("https://x/y").empty());
}

TEST_CASE("acp: the servers of a client get names that tools can bear, and what cannot be used is named") {
  const auto read = client_servers(Json::parse(R"([
    {"name": "My Server!", "command": "/bin/s", "args": ["-x", 7], "env": [{"name": "A", "value": "b"}]},
    {"type": "http", "name": "web", "url": "https://x/mcp", "headers": [{"name": "H", "value": "v"}]},
    {"type": "sse", "name": "old", "url": "https://x/sse"}, {"name": "漢", "command": "x"}, {"name": "web", "command": "x"}, 7])"));
  REQUIRE(read.servers.size() == 2);
  CHECK(read.servers[0].name == "My_Server");
  CHECK(read.servers[0].args == std::vector<std::string>{"-x"});
  CHECK(read.servers[0].env == NamedTexts{{"A", "b"}});
  CHECK(read.servers[1].transport == McpTransport::http);
  CHECK(read.servers[1].headers == NamedTexts{{"H", "v"}});
  CHECK(read.problems.size() == 4);
}

TEST_CASE("acp: only an option that was offered is an answer") {
  const auto verdict = [](const char* text) {
    const auto answer = Json::parse(text);
    return permission_answer(3, &answer);
  };
  CHECK(verdict(R"({"outcome": {"outcome": "selected", "optionId": "yes"}})").verdict == Verdict::yes);
  const auto second = verdict(R"({"outcome": {"outcome": "selected", "optionId": "choice-1"}})");
  CHECK(second.verdict == Verdict::yes_remember);
  CHECK(second.choice == 1);
  CHECK(second.id == 3);
  for (const char* none :
       {"{}", "7", R"({"outcome": 7})", R"({"outcome": {"outcome": "cancelled", "optionId": "yes"}})",
        R"({"outcome": {"outcome": "selected", "optionId": "choice-"}})",
        R"({"outcome": {"outcome": "selected", "optionId": "choice-1x"}})"})
    CHECK(verdict(none).verdict == Verdict::no);
  CHECK(permission_answer(3, nullptr).verdict == Verdict::no);
}

TEST_CASE("acp: tasks are a plan, and words that are no command of ours go to the model") {
  const auto plan = acp_plan({{"☒ read", "◐ fix 词法", "☐ test"}});
  CHECK(plan["sessionUpdate"] == "plan");
  CHECK(plan["entries"][1] ==
        Json{{"content", "fix 词法"}, {"priority", "medium"}, {"status", "in_progress"}});
  CHECK(plan["entries"][0]["status"] == "completed");
  CHECK(plan["entries"][2]["status"] == "pending");
  REQUIRE(slash_command("/compact the parser \n"));
  CHECK(std::get<Compact>(*slash_command("/compact the parser \n")).focus == "the parser");
  CHECK(!slash_command("/usr/bin is a folder"));
  CHECK(!slash_command("compact"));
  CHECK(fenced("a ``` b") == "````\na ``` b\n````");
}

TEST_CASE("acp: a command's output is told at a pace, and a retried message is a new one") {
  std::vector<Json> sent;
  std::chrono::steady_clock::time_point now{std::chrono::hours(1)};
  AcpUpdates updates({.cwd = "/p",
                      .abilities = {},
                      .send = [&](const Json& update) { sent.push_back(update); },
                      .now = [&] { return now; },
                      .summary = [](std::uint64_t) { return std::string(); }});
  updates.tell(ToolStarted{"c", "Bash", "", "make", R"({"command": "make"})"});
  updates.tell(ToolProgress{"c", "one\n"});
  updates.tell(ToolProgress{"c", "two\n"});
  CHECK(sent.size() == 2);
  now += std::chrono::seconds(1);
  updates.tell(ToolProgress{"c", "three\n"});
  REQUIRE(sent.size() == 3);
  CHECK(sent[2]["content"][0]["content"]["text"] == "```\none\ntwo\nthree\n```");
  CHECK(sent[0]["kind"] == "execute");
  CHECK(sent[0]["title"] == "Bash make");
  sent.clear();
  updates.tell(Delta{DeltaKind::text, "half"});
  updates.tell(Waiting{"the service is busy", 1'000, 2, 10});
  updates.tell(Delta{DeltaKind::text, "whole"});
  REQUIRE(sent.size() == 2);
  CHECK(sent[0]["messageId"] != sent[1]["messageId"]);
}
