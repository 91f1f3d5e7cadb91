// The registry and the understanding of arguments.
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "tools/builtin/builtin_tools.h"
#include "tools/set/args.h"
#include "tools/set/tool.h"

using namespace tern;
using nlohmann::json;

namespace {

json parsed(const char* tool, const char* text) {
  json args;
  std::string error;
  bool ok = parse_args(*builtin_tools().find(tool), text, args, error);
  INFO(error);
  REQUIRE(ok);
  return args;
}

std::string refused(const char* tool, const char* text) {
  json args;
  std::string error;
  REQUIRE_FALSE(parse_args(*builtin_tools().find(tool), text, args, error));
  return error;
}

}  // namespace

TEST_CASE("every tool has a name, a schema that parses and all functions") {
  std::set<std::string_view> names;
  for (const auto& tool : builtin_tools()) {
    INFO(tool->name);
    CHECK(names.insert(tool->name).second);
    CHECK_FALSE(tool->description.empty());
    REQUIRE(tool->run);
    REQUIRE(tool->subject);
    json schema = json::parse(tool->schema, nullptr, false);
    REQUIRE(schema.is_object());
    CHECK(schema["type"] == "object");
    CHECK(schema["properties"].is_object());
  }
}

TEST_CASE("tools are found by the names other agents use") {
  const ToolSet all = builtin_tools();
  CHECK(all.find("Read") == all.find("read_file"));
  CHECK(all.find("bash") == all.find("shell"));
  CHECK(all.find("run_shell_command") == all.find("Bash"));
  CHECK(all.find("replace") == all.find("Edit"));
  CHECK(all.find("multi_edit") == all.find("MultiEdit"));
  CHECK(all.find("list_directory") == all.find("LS"));
  CHECK(all.find("teleport") == nullptr);
}

TEST_CASE("the basic tools stay small on the wire") {
  std::size_t bytes = 0, count = 0, asking = 0;  // asking: only where somebody can answer
  for (const auto& tool : builtin_tools()) {
    if (!tool->basic) continue;
    ++count;
    const std::size_t size =
        tool->name.size() + tool->description.size() + tool->schema.size() + 50;  // the keys around them
    (tool->asks ? asking : bytes) += size;
  }
  CHECK(count >= 7);
  INFO(bytes);
  CHECK(bytes < 4200);
  CHECK(asking < 700);
}

TEST_CASE("known spellings of parameters are understood") {
  CHECK(parsed("Read", R"({"path":"a"})")["file_path"] == "a");
  CHECK(parsed("Read", R"({"filePath":"a"})")["file_path"] == "a");
  CHECK(parsed("Bash", R"({"cmd":"ls"})")["command"] == "ls");
  auto edit = parsed("Edit", R"({"filePath":"a","oldString":"x","newString":"y","replaceAll":"true"})");
  CHECK(edit["old_string"] == "x");
  CHECK(edit["new_string"] == "y");
  CHECK(edit["replace_all"] == true);
}

TEST_CASE("numbers, booleans and arrays may come as text") {
  auto read = parsed("Read", R"({"file_path":"a","offset":"12","limit":3.0})");
  CHECK(read["offset"] == 12);
  CHECK(read["limit"] == 3);
  auto edits = parsed("MultiEdit", R"({"file_path":"a","edits":"[{\"oldText\":\"x\",\"newText\":\"y\"}]"})");
  CHECK(edits["edits"][0]["old_string"] == "x");
  CHECK(parsed("TodoWrite", R"({"todos":[{"content":"a","status":"in-progress"}]})")["todos"][0]["status"] ==
        "in_progress");
  CHECK(parsed("Grep", R"({"pattern":"x","path":null})").contains("path") == false);
}

TEST_CASE("parameters that nobody knows fail no call, at any depth") {
  const auto todos =
      parsed("TodoWrite",
             R"({"todos":[{"content":"a","status":"pending","id":"1","priority":"high"}],"merge":true})");
  CHECK(todos["todos"][0] == nlohmann::json{{"content", "a"}, {"status", "pending"}});
  CHECK_FALSE(todos.contains("merge"));
  CHECK(parsed("Read", R"({"file_path":"a","confidence":0.9})") == nlohmann::json{{"file_path", "a"}});
}

TEST_CASE("a wrong call is answered with every issue and the parameter that was meant") {
  auto error = refused("Read", R"({"fil_pth":"a","limit":"many"})");
  CHECK(error.find("`file_path` is missing") != std::string::npos);
  CHECK(error.find("did you mean `file_path`?") != std::string::npos);
  CHECK(error.find("`limit` must be a whole number") != std::string::npos);
  CHECK(refused("Grep", R"({"pattern":"x","output_mode":"lines"})").find("files_with_matches") !=
        std::string::npos);
  CHECK(refused("Write", R"({"file_path":"a","content":"half of)").find("cut off") != std::string::npos);
  CHECK(refused("Read", "[1]").find("one JSON object") != std::string::npos);
}

TEST_CASE("what models add out of habit is dropped without a word") {
  auto read = parsed("Read", R"({"file_path":"a","explanation":"to see it"})");
  CHECK_FALSE(read.contains("explanation"));
}

TEST_CASE("the nearest name is close or nothing") {
  CHECK(nearest("fil_path", {"file_path", "limit"}) == "file_path");
  CHECK(nearest("patern", {"pattern", "path"}) == "pattern");
  CHECK_FALSE(nearest("zzz", {"pattern", "path"}).has_value());
}

TEST_CASE("a parameter given twice and arguments without a bottom are told, not run") {
  CHECK(refused("Read", R"({"file_path":"a","file_path":"b"})").find("`file_path` twice") !=
        std::string::npos);
  CHECK(refused("MultiEdit", R"({"file_path":"a","edits":[{"old_string":"x","old_string":"y"}]})")
            .find("twice") != std::string::npos);
  CHECK(refused("Read", R"("{\"file_path\":\"a\",\"file_path\":\"b\"}")").find("twice") != std::string::npos);
  CHECK(parsed("Read", R"({"file_path":"{[[\"{[[", "limit":7})")["limit"] == 7);
  const std::string deep = R"({"file_path":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  CHECK(refused("Read", deep.c_str()).find("nested too deep") != std::string::npos);
  CHECK(refused("Read", json(deep).dump().c_str()).find("must be one JSON object") != std::string::npos);
}

TEST_CASE("depth counts brackets that are open, not those in texts") {
  const std::string open(200, '['), close(200, ']');
  CHECK(nests_too_deep(open + close));
  CHECK_FALSE(nests_too_deep(json(open + close).dump()));
  CHECK_FALSE(nests_too_deep(R"({"a":"\\",")" + open + R"(":1})"));
  std::string wide;
  for (int n = 0; n < 500; ++n) wide += R"([{"a":{}}],)";
  CHECK_FALSE(nests_too_deep(wide));
}

TEST_CASE("tools come and go while a session runs, and a call that runs keeps its own") {
  ToolSet all = builtin_tools();
  const auto before = all.size();
  Tool made{.name = "Weather", .schema = R"({"type":"object","properties":{}})", .effects = Effect::network};
  const auto held = all.add(made);
  CHECK(all.find("weather") == held);
  made.description = "newer";
  CHECK(all.add(made) != held);
  CHECK(all.size() == before + 1);
  CHECK(all.find("Weather")->description == "newer");
  CHECK(all.remove("Weather"));
  CHECK_FALSE(all.remove("Weather"));
  CHECK(all.find("Weather") == nullptr);
  CHECK(held->name == "Weather");
}

TEST_CASE("a server's schema may say anything, and no argument is lost by it") {
  Tool tool{.name = "mcp__x__y"};
  tool.foreign = true;
  json args;
  std::string error;
  for (
      const char* schema :
      {R"({"type":"object"})", R"({"type":"object","properties":null,"required":"a"})",
       R"({"properties":{"a":true,"b":{"type":["string","null"]}},"additionalProperties":{"type":"string"}})",
       R"({"properties":{"a":{"enum":"x","minimum":"y","items":3}},"required":[1]})",
       R"({"$ref":"#/$defs/q","$defs":{"q":{"type":"object"}}})", R"({"anyOf":[{"required":["z"]}]})"}) {
    INFO(schema);
    tool.schema = schema;
    REQUIRE(parse_args(tool, R"({"a":[1],"b":null,"more":{"deep":1}})", args, error));
    CHECK(args == json::parse(R"({"a":[1],"b":null,"more":{"deep":1}})"));
  }
  tool.schema = R"({"properties":{"n":{"type":"integer"}},"required":["n"]})";
  REQUIRE(parse_args(tool, R"({"n":"3","other":1})", args, error));
  CHECK(args == json::parse(R"({"n":3,"other":1})"));
  CHECK_FALSE(parse_args(tool, "{}", args, error));
  CHECK(error.find("Parameters of mcp__x__y: n (required)") != std::string::npos);
}

TEST_CASE("of several shapes the one that the whole value has is taken") {
  Tool tool{.name = "mcp__x__y"};
  tool.foreign = true;
  tool.schema = R"({"properties":{"at":{"oneOf":[
    {"type":"object","properties":{"line":{"type":"integer"}},"additionalProperties":false},
    {"type":"object","properties":{"line":{"type":"string"},"file":{"type":"string"}},"required":["file"]}]}}})";
  json args;
  std::string error;
  REQUIRE(parse_args(tool, R"({"at":{"line":7,"file":"a.cpp"}})", args, error));
  CHECK(args == json::parse(R"({"at":{"line":7,"file":"a.cpp"}})"));
  REQUIRE(parse_args(tool, R"({"at":{"line":"7","file":"a.cpp"}})", args, error));
  CHECK(args["at"]["line"] == "7");
}

TEST_CASE("an argument is understood through the definitions and alternatives of a server's schema") {
  Tool tool{.name = "mcp__x__y"};
  tool.foreign = true;
  tool.schema = R"({"$ref":"#/$defs/Call","$defs":{
    "Call":{"properties":{"size":{"$ref":"#/$defs/Size"},"when":{"anyOf":[{"type":"null"},{"type":"integer"}]},
      "mode":{"oneOf":[{"const":"fast"},{"const":"slow"}]},"word":{"oneOf":[{"type":"integer"},{"type":"string"}]},
      "list":{"allOf":[{"type":"array"},{"items":{"$ref":"#/$defs/Size"}}]},"loop":{"$ref":"#/$defs/Loop"}},
      "required":["size"]},
    "Size":{"type":"integer","minimum":1},"Loop":{"$ref":"#/$defs/Loop"}}})";
  json args;
  std::string error;
  REQUIRE(parse_args(
      tool, R"({"size":"5","when":"7","mode":"slow","word":"8","list":["1",2],"loop":[3],"more":"x"})", args,
      error));
  CHECK(args ==
        json::parse(R"({"size":5,"when":7,"mode":"slow","word":"8","list":[1,2],"loop":[3],"more":"x"})"));
  CHECK_FALSE(parse_args(tool, R"({"size":"big"})", args, error));
  CHECK(error.find("`size` must be a whole number") != std::string::npos);
  CHECK_FALSE(parse_args(tool, R"({"when":null})", args, error));
  CHECK(error.find("`size` is missing") != std::string::npos);
  CHECK_FALSE(parse_args(tool, R"({"size":0})", args, error));
}
