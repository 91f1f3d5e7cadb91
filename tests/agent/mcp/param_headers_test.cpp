// Arguments that travel as headers.
#include "agent/mcp/param_headers.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

using namespace tern;
using nlohmann::json;

namespace {

json header_mark(const json& mark, const char* type = "string") {
  return {{"type", type}, {"x-mcp-header", mark}};
}
json object_with(const json& properties) { return {{"type", "object"}, {"properties", properties}}; }
bool can_be_used(const json& schema) {
  std::vector<ParamHeader> headers;
  return read_param_headers(schema, headers);
}

}  // namespace

TEST_CASE(
    "marked properties become headers, also those of inner objects; what a call leaves out is left out") {
  const json schema = object_with({{"region", header_mark("Region")},
                                   {"n", header_mark("N", "integer")},
                                   {"inner", object_with({{"on", header_mark("On", "boolean")}})},
                                   {"plain", {{"type", "string"}}}});
  std::vector<ParamHeader> headers;
  REQUIRE(read_param_headers(schema, headers));
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  CHECK(values_of(headers, {{"region", "eu"}, {"n", 7}, {"inner", {{"on", true}}}, {"plain", "x"}}) ==
        Pairs{{"Mcp-Param-On", "true"}, {"Mcp-Param-N", "7"}, {"Mcp-Param-Region", "eu"}});
  CHECK(values_of(headers, {{"region", nullptr}, {"inner", 3}}).empty());
  CHECK(values_of(headers, "none").empty());
}

TEST_CASE("schemas that ask for headers that must not be are refused") {
  CHECK_FALSE(can_be_used(object_with({{"a", header_mark("")}})));
  CHECK_FALSE(can_be_used(object_with({{"a", header_mark("Two words")}})));
  CHECK_FALSE(can_be_used(object_with({{"a", header_mark("X: y")}})));
  CHECK_FALSE(can_be_used(object_with({{"a", header_mark(7)}})));
  CHECK_FALSE(can_be_used(object_with({{"a", header_mark("A", "object")}})));
  CHECK_FALSE(can_be_used(object_with({{"a", header_mark("Same")}, {"b", header_mark("same")}})));
  CHECK_FALSE(can_be_used({{"type", "object"}, {"oneOf", {object_with({{"a", header_mark("A")}})}}}));
  CHECK(can_be_used(object_with({{"a", header_mark("A")}, {"b", header_mark("B")}})));
  CHECK(can_be_used(nullptr));
}
