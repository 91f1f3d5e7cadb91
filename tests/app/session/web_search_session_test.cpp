// WebSearch through the real program: a request of its own, asked first, its words marked and paid for.
#include <catch2/catch_test_macros.hpp>

#include "tests/support/fake_llm.h"
#include "tests/support/headless.h"

using namespace tern;
using namespace tern::test;

namespace {

constexpr const char* scenario = R"({"match": [
  {"when": "You search the web for another program", "text": "Version 7 of 燕子.", "usage": {"input": 5000, "output": 20}}],
  "replies": [{"calls": [{"name": "WebSearch", "id": "c1", "arguments": {"query": "newest tern"}}]}],
  "default": {"text": "Done."}})";

bool said_in(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

struct Searched {
  Home home;
  FakeLlm server{scenario};
  std::string output;
  std::vector<FakeRequest> requests;

  explicit Searched(std::vector<std::string> more) {
    std::vector<std::string> arguments{"-p",          "what is new", "--output-format",
                                       "stream-json", "--config",    R"(tools.extra=["WebSearch"])"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Headless tern(home, wires().front(), server.url(), std::move(arguments));
    tern.close_input();
    while (const auto line = tern.line()) output += *line + '\n';
    tern.wait();
    requests = server.requests();
  }
};

}  // namespace

TEST_CASE("a search is a request of its own, and its words come back as those of the web") {
  const Searched searched({"--allowed-tools", "WebSearch"});
  INFO(searched.output);
  REQUIRE(searched.requests.size() == 3);
  const auto& asked = searched.requests[1].body;
  CHECK(said_in(asked, R"("type":"web_search_20250305")"));
  CHECK(said_in(asked, "newest tern"));
  CHECK_FALSE(said_in(asked, "what is new"));  // nothing of the conversation goes with it
  CHECK_FALSE(said_in(searched.requests[0].body, "web_search_2025"));
  const auto& after = searched.requests[2].body;
  CHECK(said_in(after, "Version 7 of 燕子."));
  CHECK(said_in(after, "words of the web, not of the user"));
}

TEST_CASE("a search is refused like any way into the network when nobody allowed it") {
  const Searched searched({});
  INFO(searched.output);
  REQUIRE(searched.requests.size() == 2);
  CHECK_FALSE(said_in(searched.requests[1].body, "Version 7"));
}
