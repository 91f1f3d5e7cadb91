#include "app/config/jsonc_edit.h"

#include <catch2/catch_test_macros.hpp>

using tern::set_jsonc;

TEST_CASE("jsonc: a value is replaced in place, and everything else stays") {
  const std::string text = R"j({
  // how it looks
  "theme": "light",  // for the beamer
  "permissions": { "mode": "ask" /* careful */, "allow": ["Bash(a, b)"] },
  "model": "x"
}
)j";
  CHECK(set_jsonc(text, {"theme"}, "\"dark\"") ==
        std::string(text).replace(text.find("\"light\""), 7, "\"dark\""));
  CHECK(set_jsonc(text, {"permissions", "mode"}, "\"plan\"") ==
        std::string(text).replace(text.find("\"ask\""), 5, "\"plan\""));
  CHECK(set_jsonc(text, {"permissions", "allow"}, "[]") ==
        std::string(text).replace(text.find("[\"Bash(a, b)\"]"), 14, "[]"));
}

TEST_CASE("jsonc: a member is added at the end, in the manner of the file") {
  CHECK(set_jsonc("", {"theme"}, "\"dark\"") == "{\n  \"theme\": \"dark\"\n}\n");
  CHECK(set_jsonc("{}", {"vim"}, "true") == "{\n  \"vim\": true\n}");
  CHECK(set_jsonc("{\n  // nothing yet\n}", {"vim"}, "true") == "{\n  // nothing yet\n  \"vim\": true\n}");
  CHECK(set_jsonc("{\"a\": 1}", {"b"}, "2") == "{\"a\": 1, \"b\": 2}");
  CHECK(set_jsonc("{\n  \"a\": 1\n}\n", {"b"}, "2") == "{\n  \"a\": 1,\n  \"b\": 2\n}\n");
  CHECK(set_jsonc("{\n  \"a\": 1,\n}\n", {"b"}, "2") == "{\n  \"a\": 1,\n  \"b\": 2\n}\n");
  CHECK(set_jsonc("{\n\t\"a\": 1 // one, not two\n}\n", {"b"}, "2") ==
        "{\n\t\"a\": 1, // one, not two\n\t\"b\": 2\n}\n");
  CHECK(set_jsonc("// mine\n{\"p\": {\"x\": {\"key\": \"1\"}}}", {"p", "y", "key"}, "\"2\"") ==
        "// mine\n{\"p\": {\"x\": {\"key\": \"1\"}, \"y\": {\"key\": \"2\"}}}");
  CHECK(set_jsonc("{\"p\": 3}", {"p", "y"}, "4") == "{\"p\": {\"y\": 4}}");
}

TEST_CASE("jsonc: values of several lines stand in the file as people indent them") {
  const std::string value = "{\n  \"command\": \"x\"\n}";
  const std::string one = set_jsonc("", {"mcpServers", "a"}, value);
  CHECK(one == "{\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"x\"\n    }\n  }\n}\n");
  CHECK(set_jsonc(one, {"mcpServers", "b"}, value) ==
        "{\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"x\"\n    },\n    \"b\": {\n      "
        "\"command\": "
        "\"x\"\n    }\n  }\n}\n");
  CHECK(set_jsonc(one, {"mcpServers", "a"}, value) == one);
  CHECK(set_jsonc("{\n  \"bell\": true\n}\n", {"mcpServers", "a"}, value) ==
        "{\n  \"bell\": true,\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"x\"\n    }\n  }\n}\n");
  CHECK(set_jsonc("{\n  \"mcpServers\": {}\n}\n", {"mcpServers", "a"}, value) == one);
}

TEST_CASE("jsonc: null takes a member out with its comma and its line") {
  CHECK(set_jsonc("{\n  \"a\": 1,\n  \"b\": 2\n}\n", {"b"}, "null") == "{\n  \"a\": 1\n}\n");
  CHECK(set_jsonc("{\n  \"a\": 1,\n  \"b\": 2\n}\n", {"a"}, "null") == "{\n  \"b\": 2\n}\n");
  CHECK(set_jsonc("{\"a\": {\"k\": 1}, \"b\": 2}", {"a", "k"}, "null") == "{\"a\": {}, \"b\": 2}");
  CHECK(set_jsonc("{\"a\": 1}", {"b"}, "null") == "{\"a\": 1}");
  CHECK(set_jsonc("", {"b"}, "null").empty());
}

TEST_CASE("jsonc: brackets and slashes in strings and comments mislead nobody") {
  const std::string text = "{ /* { \" */ \"a\": \"}//\\\"\", // }\n \"c\": [1, /* ] */ 2] }";
  CHECK(set_jsonc(text, {"c"}, "0") == "{ /* { \" */ \"a\": \"}//\\\"\", // }\n \"c\": 0 }");
  CHECK(tern::has_jsonc(text, {"a"}));
  CHECK_FALSE(tern::has_jsonc(text, {"b"}));
  CHECK_FALSE(tern::has_jsonc(text, {"a", "b"}));
}
