#include "agent/models/json_schema.h"

#include <catch2/catch_test_macros.hpp>

using namespace tern;

TEST_CASE("each keyword of a schema is checked, and what is wrong is said with its place") {
  struct Row {
    const char *schema, *good, *bad, *word;
  };
  for (const Row& row : {
           Row{R"({"type":"string"})", R"("a")", "3", "wanted: string, not 3"},
           Row{R"({"type":["string","null"]})", "null", "3", "string or null"},
           Row{R"({"type":"integer"})", "3.0", "3.5", "integer"},
           Row{R"({"enum":["a",1,null]})", "1", "2", "not one of"},
           Row{R"({"const":{"a":1}})", R"({"a":1})", R"({"a":2})", "is not"},
           Row{R"({"minimum":2,"maximum":4})", "4", "5", "more than 4"},
           Row{R"({"minimum":2,"maximum":4})", "2", "1", "less than 2"},
           Row{R"({"exclusiveMinimum":2})", "3", "2", "not more than 2"},
           Row{R"({"exclusiveMaximum":2})", "1", "2", "not less than 2"},
           Row{R"({"multipleOf":0.1})", "0.3", "0.35", "multiple"},
           Row{R"({"minLength":2,"maxLength":3})", R"("中文")", R"("中")", "at least 2 characters"},
           Row{R"({"maxLength":3})", R"("中文字")", R"("abcd")", "at most 3 characters"},
           Row{R"({"pattern":"^[a-z]+$"})", R"("abc")", R"("ABC")", "pattern"},
           Row{R"({"format":"date-time"})", R"("2026-02-28T10:00:00.5+01:00")", R"("28.2.2026")",
               "date-time"},
           Row{R"({"format":"date"})", R"("2026-12-31")", R"("2026-13-01")", "the format date"},
           Row{R"({"format":"email"})", R"("ann@example.com")", R"("ann")", "the format email"},
           Row{R"({"format":"uri"})", R"("https://example.com/a")", R"("example")", "the format uri"},
           Row{R"({"format":"ipv4"})", R"("10.0.0.255")", R"("10.0.0.256")", "the format ipv4"},
           Row{R"({"format":"uuid"})", R"("123e4567-e89b-12d3-a456-426614174000")", R"("123e4567")", "uuid"},
           Row{R"({"format":"colour"})", R"("red")", "", ""},
           Row{R"({"items":{"type":"number"}})", "[1,2]", R"([1,"x"])", "at /1: wanted: number"},
           Row{R"({"minItems":1,"maxItems":2})", "[1]", "[]", "at least 1 items"},
           Row{R"({"uniqueItems":true})", "[1,2]", "[1,2,1]", "1 is there twice"},
           Row{R"({"prefixItems":[{"type":"string"}],"items":false})", R"(["a"])", R"(["a",1])", "at /1"},
           Row{R"({"items":[{"type":"string"}],"additionalItems":{"type":"number"}})", R"(["a",1])",
               R"(["a","b"])", "at /1"},
           Row{R"({"contains":{"const":7}})", "[1,7]", "[1]", "contains"},
           Row{R"({"required":["a"]})", R"({"a":1})", R"({"b":1})", "\"a\" is missing"},
           Row{R"({"properties":{"a":{"properties":{"b":{"type":"boolean"}}}}})", R"({"a":{"b":true}})",
               R"({"a":{"b":1}})", "at /a/b: wanted: boolean"},
           Row{R"({"properties":{"a":{}},"additionalProperties":false})", R"({"a":1})", R"({"a":1,"c":2})",
               "\"c\" is not one"},
           Row{R"({"additionalProperties":{"type":"string"}})", R"({"x":"y"})", R"({"x":1})", "at /x"},
           Row{R"({"patternProperties":{"^n_":{"type":"number"}},"additionalProperties":false})",
               R"({"n_a":1})", R"({"n_a":"x"})", "at /n_a"},
           Row{R"({"minProperties":1,"maxProperties":1})", R"({"a":1})", R"({"a":1,"b":2})",
               "at most 1 properties"},
           Row{R"({"allOf":[{"minimum":1},{"maximum":2}]})", "1", "3", "more than 2"},
           Row{R"({"anyOf":[{"type":"string"},{"type":"null"}]})", "null", "1", "anyOf"},
           Row{R"({"oneOf":[{"minimum":1},{"minimum":5}]})", "2", "6", "fits 2"},
           Row{R"({"not":{"type":"string"}})", "1", R"("a")", "excluded"},
           Row{R"({"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}})",
               R"({"a":1,"b":1})", R"({"a":1})", "\"b\" is missing"},
           Row{R"({"$defs":{"n":{"type":"number"}},"items":{"$ref":"#/$defs/n"}})", "[1]", R"(["x"])",
               "at /0"},
           Row{R"({"properties":{"next":{"$ref":"#"},"v":{"type":"number"}}})",
               R"({"next":{"next":{"v":1}}})", R"({"next":{"next":{"v":"x"}}})", "at /next/next/v"},
           Row{"false", "", "1", "nothing is allowed"},
       }) {
    INFO(row.schema);
    CHECK(schema_problem(row.schema) == "");
    if (*row.good) CHECK(schema_mismatch(row.schema, row.good) == "");
    const auto wrong = *row.bad ? schema_mismatch(row.schema, row.bad) : std::string();
    INFO(wrong);
    CHECK(wrong.find(row.word) != std::string::npos);
  }
}

TEST_CASE("what models put around a value is taken off") {
  CHECK(json_of_answer(" {\"a\": 1}\n") == "{\"a\": 1}");
  CHECK(json_of_answer("Here it is:\n```json\n{\"a\": 1}\n```\nDone.") == "{\"a\": 1}");
  CHECK_FALSE(json_of_answer("It is {a: 1}."));
  CHECK_FALSE(json_of_answer("```\nnot json\n```"));
  CHECK_FALSE(json_of_answer("```"));
  CHECK(schema_mismatch(R"({"type":"object"})", "I cannot do that.") == "it is not JSON");
}

TEST_CASE("a schema nothing can be checked against is refused at once") {
  CHECK(schema_problem(R"({"type":"strng"})").find("strng") != std::string::npos);
  CHECK(schema_problem(R"({"items":{"$ref":"#/$defs/gone"}})").find("leads nowhere") != std::string::npos);
  CHECK(schema_problem("[1]") != "");
  CHECK(schema_problem(R"({"properties":{"type":{"type":"string"},"enum":{"enum":["x"]}}})") == "");
}

TEST_CASE("a schema that never ends and keywords of strange types do no harm") {
  CHECK(schema_mismatch(R"({"$ref":"#"})", "1") == "");
  CHECK(schema_mismatch(R"({"allOf":[{"$ref":"#"},{"$ref":"#"}]})", "1") == "");
  for (const char* schema : {R"({"required":"a"})", R"({"properties":[1]})", R"({"items":3})",
                             R"({"anyOf":1})", R"({"pattern":"("})"})
    for (const char* value : {"{}", "[1]", "\"x\"", R"({"a":1})"})
      CHECK_NOTHROW(schema_mismatch(schema, value));
}
