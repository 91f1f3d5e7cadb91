#include "agent/mcp/call_result.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "compression/text/base64.h"
#include "tests/support/temp_dir.h"

using namespace tern;
using nlohmann::json;

namespace {

// A pixel as PNG.
constexpr const char* kPixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

ToolOutput output_of(const char* text, const std::filesystem::path& folder = "/nowhere") {
  return output_of_call(json::parse(text), folder);
}

}  // namespace

TEST_CASE("mcp result: texts are joined, and an error is one") {
  const ToolOutput output =
      output_of(R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"isError":true})");
  CHECK(output.text == "a\nb");
  CHECK(output.is_error);
}

TEST_CASE("mcp result: structured content is sent once") {
  CHECK(output_of(R"({"content":[{"type":"text","text":"{\"a\": 1}"}],"structuredContent":{"a":1}})").text ==
        R"({"a": 1})");
  CHECK(output_of(
            R"({"content":[{"type":"text","text":"all of it"}],"structuredContent":{"content":"all of it"}})")
            .text == "all of it");
  CHECK(output_of(R"({"content":[],"structuredContent":{"a":1}})").text == R"({"a":1})");
  CHECK(output_of(R"({"content":[{"type":"text","text":"ok"}],"structuredContent":{"a":1}})").text ==
        "ok\n{\"a\":1}");
}

TEST_CASE("mcp result: an image is known by its bytes; other bytes become a file") {
  const test::TempDir folder;
  const std::string image =
      R"({"content":[{"type":"image","mimeType":"image/svg+xml","data":")" + std::string(kPixel) + R"("}]})";
  const ToolOutput output = output_of(image.c_str(), folder.path());
  REQUIRE(output.images.size() == 1);
  CHECK(output.images.front().media_type == "image/png");
  const ToolOutput saved =
      output_of(R"({"content":[{"type":"audio","mimeType":"audio/wav","data":"UklGRg=="}]})", folder.path());
  CHECK(saved.images.empty());
  const std::size_t at = saved.text.find(folder.path().string());
  REQUIRE(at != std::string::npos);
  std::ifstream in(saved.text.substr(at, saved.text.size() - at - 1));
  std::string bytes;
  in >> bytes;
  CHECK(bytes == "RIFF");
}

TEST_CASE(
    "mcp result: links and resources are told with their address, what is for people only is not sent") {
  const ToolOutput output = output_of(R"({"content":[
    {"type":"resource_link","uri":"file:///a","name":"a","description":"the a"},
    {"type":"resource","resource":{"uri":"x://b","text":"body"}},
    {"type":"text","text":"secret hint","annotations":{"audience":["user"]}},
    {"type":"hologram"}]})");
  CHECK(output.text ==
        "resource file:///a (a): the a\nresource x://b:\nbody\n[content of the type \"hologram\", which is "
        "not supported]");
}

TEST_CASE("mcp result: whatever comes, it is a result") {
  for (const char* text :
       {"{}", R"({"content":5})", R"({"content":[5,null,{}]})", R"({"content":[{"type":"image"}]})",
        R"({"content":[{"type":"resource","resource":5}],"isError":"yes"})"})
    CHECK_FALSE(output_of(text).text.empty());
  CHECK(from_base64("not base64!").empty());
}
