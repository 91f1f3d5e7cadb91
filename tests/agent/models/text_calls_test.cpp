#include "agent/models/text_calls.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

using namespace tern;
using nlohmann::json;

namespace {
const std::vector<ToolSpec> tools{{"Read", "", ""}, {"Bash", "", ""}};
}

TEST_CASE("calls written as text are taken out, in every known form") {
  for (const char* text : {
           R"(<tool_call>{"name": "Read", "arguments": {"file_path": "a.cpp"}}</tool_call>)",
           R"(<tool_call>
{"name": "read", "arguments": {"file_path": "a.cpp"}})",
           R"({"name": "Read", "parameters": {"file_path": "a.cpp"}})",
           R"([{"name": "Read", "arguments": {"file_path": "a.cpp"}}])",
           "```json\n{\"name\": \"Read\", \"arguments\": {\"file_path\": \"a.cpp\"}}\n```",
           R"([TOOL_CALLS][{"name": "Read", "arguments": {"file_path": "a.cpp"}}])",
           R"(<|python_tag|>{"name": "Read", "parameters": {"file_path": "a.cpp"}})",
           "<function=Read>\n<parameter=file_path>\na.cpp\n</parameter>\n</function>",
           "<tool_call>\n<function=Read>\n<parameter=file_path>\na.cpp\n</parameter>\n</function>\n</"
           "tool_call>",
           R"({"type":"function","function":{"name":"Read","arguments":"{\"file_path\": \"a.cpp\"}"}})",
       }) {
    INFO(text);
    const TextCalls found = take_text_calls(text, tools, 7);
    REQUIRE(found.calls.size() == 1);
    CHECK(found.calls[0].name == "Read");
    CHECK(json::parse(found.calls[0].arguments) == json{{"file_path", "a.cpp"}});
    CHECK(found.text.empty());
  }
}

TEST_CASE("several calls and the words before them") {
  const TextCalls found = take_text_calls(
      "I "
      "look.\n<tool_call>{\"name\":\"Read\",\"arguments\":{}}</"
      "tool_call>\n<tool_call>{\"name\":\"Bash\",\"arguments\":{}}</"
      "tool_call>",
      tools, 7);
  CHECK(found.calls.size() == 2);
  CHECK(found.calls[0].id != found.calls[1].id);
  CHECK(found.text == "I look.");
}

TEST_CASE("an answer about calls stays an answer") {
  for (const char* text :
       {"Use {\"name\": \"x\"} as the object.",
        R"(<tool_call>{"name": "Unknown", "arguments": {}}</tool_call>)", R"({"name": "tern", "version": 1})",
        "a < b and {c}", R"({"name": "Unknown", "arguments": {}})",
        "```json\n{\"name\": \"package\"}\n```"}) {
    INFO(text);
    CHECK(take_text_calls(text, tools, 7).calls.empty());
    CHECK(take_text_calls(text, tools, 7).text == text);
  }
}

TEST_CASE("a thought in tags is split off") {
  CHECK(split_think("<think>\nhm\n</think>\n\nanswer") ==
        std::pair<std::string, std::string>{"hm", "answer"});
  CHECK(split_think("no tags") == std::pair<std::string, std::string>{"", "no tags"});
  CHECK(split_think("<think>never ended") == std::pair<std::string, std::string>{"never ended", ""});
}
