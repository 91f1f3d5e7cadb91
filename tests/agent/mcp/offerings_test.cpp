// What a server's lists say, and what a person means by the words behind a prompt's name.
#include "agent/mcp/offerings.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "agent/mcp/call_result.h"

using namespace tern;
using nlohmann::json;

TEST_CASE("lists are sorted, each name once, and what has no name is left out") {
  const std::vector<json> entries{{{"name", "b"}},
                                  {{"name", "a"}, {"arguments", {{{"name", "x"}, {"required", true}}, 7}}},
                                  {{"name", "b"}, {"description", "again"}},
                                  {{"title", "nameless"}},
                                  3};
  const auto prompts = prompts_from(entries);
  REQUIRE(prompts.size() == 2);
  CHECK(prompts[0].name == "a");
  REQUIRE(prompts[0].arguments.size() == 1);
  CHECK(prompts[0].arguments[0].required);
  CHECK(prompts[1].description.empty());
  const auto templates =
      resources_from({{{"uriTemplate", "db://{t}"}, {"name", "table"}}, {{"uri", "db://x"}}}, true);
  REQUIRE(templates.size() == 1);
  CHECK(templates[0].is_template);
}

TEST_CASE("words behind a prompt's name are its arguments in order, or by name; the last takes the rest") {
  const McpPrompt prompt{"p", "", {{"who", "", true}, {"tone", "", false}, {"text", "", true}}};
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  CHECK(read_arguments(prompt, "Bob warm over the hills").values ==
        Pairs{{"who", "Bob"}, {"tone", "warm"}, {"text", "over the hills"}});
  CHECK(read_arguments(prompt, "text='a b' Bob").values == Pairs{{"text", "a b"}, {"who", "Bob"}});
  const McpArguments none = read_arguments(prompt, "");
  REQUIRE(none.missing.size() == 2);
  CHECK(none.missing[1].name == "text");
  CHECK(mcp_command_name("git", "review this\tnow") == "git:review-this-now");
}

TEST_CASE("a prompt's answer is marked where it is said to be the assistant's; a resource is named") {
  const json messages{{"messages",
                       {{{"role", "user"}, {"content", {{"type", "text"}, {"text", "Do it."}}}},
                        {{"role", "assistant"}, {"content", {{"type", "text"}, {"text", "I will."}}}},
                        "junk"}}};
  CHECK(output_of_prompt(messages, "/tmp").text == "Do it.\n[as an answer of the assistant:]\nI will.");
  const json contents{{"contents", {{{"uri", "a://b"}, {"text", "hello"}}}}};
  CHECK(output_of_resource(contents, "/tmp").text == "resource a://b:\nhello");
  CHECK(output_of_resource({{"contents", "no list"}}, "/tmp").text == "(no output)");
}

TEST_CASE(
    "a schema goes to the model as the server wrote it, with its definitions, and nothing that it names is "
    "fetched") {
  const auto entry =
      nlohmann::json::parse(R"({"name":"t","outputSchema":{"type":"object"},"inputSchema":{"type":"object",
    "$defs":{"a":{"type":"string"}},"properties":{"x":{"$ref":"#/$defs/a"},"y":{"$ref":"https://example.invalid/s.json"}}}})");
  const auto tools = tools_from(McpServer{}, {entry});
  REQUIRE(tools.size() == 1);
  CHECK(nlohmann::json::parse(tools[0].schema) == entry["inputSchema"]);
}
