// What replay reads may be odd; what it writes never is.
#include "tests/support/recorded_session.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "compression/values/check.h"
#include "tests/bench/replay_policy.h"

using namespace tern;
using Json = nlohmann::ordered_json;

namespace {

std::string line(const std::string& role, const std::string& content) {
  return R"({"type":"message","role":")" + role + R"(","origin":"human","ts":1,"content":)" + content + "}\n";
}
std::string text(const std::string& words) { return R"([{"type":"text","text":")" + words + R"("}])"; }

// What the scorer calls valid.
void must_be_valid(const Json& messages) {
  REQUIRE_FALSE(messages.empty());
  CHECK(messages.front()["role"] == "user");
  CHECK(messages.back()["role"] == "user");
  std::set<std::string> open, ids;
  std::string before;
  for (const auto& message : messages) {
    CHECK(message["role"] != before);
    before = message["role"];
    CHECK_FALSE(message["content"].empty());
    std::set<std::string> answered, called;
    for (const auto& block : message["content"]) {
      if (block["type"] == "tool_result")
        CHECK(answered.insert(block["tool_use_id"].get<std::string>()).second);
      if (block["type"] == "tool_use")
        CHECK((ids.insert(block["id"].get<std::string>()).second &&
               called.insert(block["id"].get<std::string>()).second));
      if (block["type"] == "text")
        CHECK(block["text"].get<std::string>().find_first_not_of(" \n") != std::string::npos);
    }
    CHECK(answered == open);
    open = called;
  }
  CHECK(open.empty());
}

void must_survive(const std::string& lines) {
  INFO(lines.substr(0, 400));
  std::istringstream in(lines);
  const auto session = test::recorded_session(in);
  CHECK(check(session.conversation).empty());
  for (const char* policy : {"plan", "shipped", "condense", "results", "micro", "middle", "oldest", "select",
                             "truncate", "none"}) {
    for (const Tokens target : {0, 30, 2'000}) {
      INFO(policy << " to " << target);
      const auto after = bench::compress(policy, session.conversation, {.window = 4'000, .target = target});
      const auto messages = test::wire_messages(after);
      must_be_valid(messages);
      CHECK_FALSE(messages.dump(-1, ' ', false, Json::error_handler_t::replace).empty());
    }
  }
}

}  // namespace

TEST_CASE("odd prefixes never crash a policy and come out valid") {
  const std::string big(200'000, 'x');
  std::string sentences;
  for (int i = 0; i < 4'000; ++i)
    sentences += "Line " + std::to_string(i) + " names parse_token_" + std::to_string(i) + ".\\n";
  const std::string call = R"([{"type":"tool_use","id":"a","name":"Read","input":{"file_path":"a.cpp"}}])";
  const std::string result =
      R"([{"type":"tool_result","tool_use_id":"a","content":")" + sentences + R"(","is_error":false}])";
  must_survive("");
  must_survive("not json\n{}\n[1,2]\n\"text\"\n");
  must_survive(line("user", text("hello")));
  must_survive(line("user", text(big)));
  must_survive(line("user", text(sentences)));
  must_survive(line("user", "[]") + line("assistant", text(" ")));
  must_survive(line("assistant", text("I speak first")));
  must_survive(line("assistant", call) + line("assistant", call) + line("user", text("no result came")));
  must_survive(line("user", text("go")) + line("assistant", call) + line("user", result) +
               line("assistant", call) + line("user", result));
  must_survive(line("user", result) + line("user", text("a result without its call")));
  must_survive(line("system", text("be good")) + line("developer", text("be better")) +
               line("tool", text("42")) + line("", text("?")));
  must_survive(
      line(
          "user",
          R"([{"type":"image","source":{}},{"type":"thinking","thinking":"hm"},{},5,"plain",{"type":"text"}])") +
      line("assistant",
           R"([{"type":"tool_use"},{"type":"tool_use","id":7,"name":null,"input":[1,{"a":null}]}])"));
  must_survive(line("user", R"("only a string")") + line("assistant", "null") + line("user", "7"));
  must_survive("{\"type\":\"message\",\"role\":\"user\",\"ts\":1e300}\n" +
               line("user", text("bad \xff\xc3 bytes \xe6\x96")));
  std::string talk;
  for (int i = 0; i < 40; ++i)
    talk += line("user", text("question " + std::to_string(i))) +
            line("assistant", text("answer " + sentences.substr(0, 900)));
  must_survive(talk);
}

TEST_CASE("a plain prefix goes through unchanged") {
  const auto lines =
      line("user", text("go")) +
      line("assistant", R"([{"type":"tool_use","id":"a","name":"Bash","input":{"command":"ls"}}])") +
      line("user", R"([{"type":"tool_result","tool_use_id":"a","content":"a b","is_error":false}])");
  std::istringstream in(lines);
  const auto session = test::recorded_session(in);
  const auto messages = test::wire_messages(session.conversation);
  REQUIRE(messages.size() == 3);
  CHECK(messages[0]["origin"] == "human");
  CHECK(messages[1]["content"][0]["input"]["command"] == "ls");
  CHECK(messages[2]["content"][0]["content"] == "a b");
  CHECK(test::wire_tokens(messages) == session.tokens);
  CHECK(session.recall.size() == 3);
}
