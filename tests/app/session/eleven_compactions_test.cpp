// A long session with two skills, three memory files and a hook that pins: after eleven compactions every
// instruction is in the request as it was in the first that had it, byte for byte, and once.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "agent/store/store.h"
#include "tests/support/fake_llm.h"
#include "tests/support/headless.h"

using namespace tern;
using namespace tern::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

void put_file(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

std::string lines_about(const std::string& word) {
  std::string text;
  for (int i = 1; i <= 12; ++i)
    text += "- Rule " + std::to_string(i) + " of " + word + ": keep \"it\" as it is,\tword for word.\n";
  return text;
}

std::string skill_text(const std::string& name) {
  return "---\nname: " + name + "\ndescription: About " + name + "\n---\n" + lines_about(name);
}

// As it is inside the JSON of a request.
std::string on_the_wire(const std::string& text) {
  const auto quoted = json(text).dump();
  return quoted.substr(1, quoted.size() - 2);
}

std::size_t count_of(const std::string& body, const std::string& part) {
  std::size_t n = 0;
  for (auto at = body.find(part); at != body.npos; at = body.find(part, at + 1)) ++n;
  return n;
}

// The first result with this word, as text.
std::string result_with(const std::string& body, const std::string& word) {
  const auto request = json::parse(body);
  for (const auto& message : request["messages"]) {
    if (!message["content"].is_array()) continue;
    for (const auto& block : message["content"]) {
      if (block.value("type", "") != "tool_result") continue;
      const auto& content = block["content"];
      const auto text = content.is_string() ? content.get<std::string>() : content[0].value("text", "");
      if (text.find(word) != text.npos) return text;
    }
  }
  return {};
}

constexpr const char* one_round = R"({
  "match": [{"when": "tool_result", "text": "never"}],
  "replies": [
    {"calls": [{"name": "Read", "arguments": {"file_path": "lib/a.txt"}}]}, {"text": "Read it."},
    {"calls": [{"name": "Bash", "arguments": {"command": "for n in $(seq 1 60); do echo process $$ line $n of a listing; done"}}]},
    {"text": "Round done."}],
  "default": {"text": "Done."},
  "summary": {"text": "<summary>\n1. Primary Request and Intent: rounds\n8. Current Work: rounds\n</summary>"}})";

std::string scenario_of(int many) {
  json all = json::parse(one_round);
  all.erase("match");
  for (int i = 1; i < many; ++i) {
    all["replies"].push_back(all["replies"][2]);
    all["replies"].push_back(all["replies"][3]);
  }
  for (int i = 0; i < 2; ++i) all["replies"].insert(all["replies"].begin(), json{{"text", "Noted."}});
  return all.dump();
}

// Pins the first result it hears of, at every compaction.
constexpr const char* pinning =
    R"(id=$(grep -o '"id":"r[0-9]*","kind":"result"' | head -1 | grep -o 'r[0-9]*' | head -1); )"
    R"([ -s pinned ] || [ -z "$id" ] || echo $id > pinned; )"
    R"(echo '{"hookSpecificOutput":{"hookEventName":"PreCompact","pin":["'$(cat pinned 2> /dev/null)'"]}}')";

}  // namespace

TEST_CASE("after eleven compactions two skills, three memory files and what a hook pins are as they were") {
  constexpr int turns = 14;
  Home home;
  const std::vector<std::string> words = {"the root", "the user", "the folder", "pdf", "sheets"};
  put_file(home.work / "AGENTS.md", lines_about(words[0]));
  put_file(home.path / ".config/tern/AGENTS.md", lines_about(words[1]));
  put_file(home.work / "lib/AGENTS.md", lines_about(words[2]));
  put_file(home.work / "lib/a.txt", "a\n");
  put_file(home.path / ".claude/skills/pdf/SKILL.md", skill_text(words[3]));
  put_file(home.work / ".agents/skills/sheets/SKILL.md", skill_text(words[4]));
  put_file(home.path / ".config/tern/config.json",
           json{{"trusted", {home.work.string()}},
                {"hooks", {{"PreCompact", {{{"hooks", {{{"type", "command"}, {"command", pinning}}}}}}}}}}
               .dump());
  const FakeLlm server(scenario_of(turns));
  Headless tern(home, wires()[0], server.url(),
                {"--plain", "--window", "40000", "--permission-mode", "bypass"});
  const auto until = [&](std::string_view end) {
    while (const auto line = tern.line())
      if (line->find(end) != std::string::npos) return true;
    return false;
  };
  tern.write("/pdf first");
  REQUIRE(until("ready"));
  tern.write("/sheets second");
  REQUIRE(until("ready"));
  tern.write("look into lib");
  REQUIRE(until("ready"));
  for (int i = 0; i < turns; ++i) {
    tern.write("round " + std::to_string(i));
    REQUIRE(until("ready"));
    tern.write("/compact");
  }
  tern.write("and now?");
  REQUIRE(until("ready"));
  tern.close_input();
  tern.wait();

  std::string why;
  const auto store = Store::open({.folder = home.work / ".compression", .read_only = true});
  REQUIRE(store->newest(why));
  std::size_t compactions = 0;
  for (const auto& row : store->compactions()) compactions += row.tier == Tier::compact;
  CHECK(compactions >= 11);

  std::vector<std::string> bodies;
  for (const auto& request : server.requests())
    if (request.body.find("<summary>") == std::string::npos ||
        request.body.find("and now?") != std::string::npos)
      bodies.push_back(request.body);
  const auto& last = bodies.back();
  for (const auto& word : words) {
    INFO(word);
    const auto rules = on_the_wire(lines_about(word).substr(0, lines_about(word).size() - 1));
    CHECK(std::any_of(bodies.begin(), bodies.end(),
                      [&](const std::string& body) { return body.find(rules) != body.npos; }));
    CHECK(count_of(last, rules) == 1);
  }
  std::ifstream file(home.work / "pinned");
  std::string pinned;
  std::getline(file, pinned);
  INFO(pinned);
  CHECK(parse_recall_id(pinned).value != 0);
  CHECK(result_with(last, "a") == "1\ta");  // the first result of all, as it came
}
