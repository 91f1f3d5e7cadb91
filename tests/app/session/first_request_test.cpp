// What "hi" costs: the first request of a fresh session, as it goes over the wire.
#include <catch2/catch_test_macros.hpp>

#include "tests/support/fake_llm.h"
#include "tests/support/headless.h"

using namespace tern;
using namespace tern::test;

TEST_CASE("the first request offers the context tools and notes, and stays within 6 KB on every wire") {
  for (const auto& wire : wires()) {
    INFO(wire.name);
    Home home;
    FakeLlm server(R"({"default": {"text": "hello"}})");
    Headless tern(home, wire, server.url(), {"-p", "hi"});
    tern.close_input();
    REQUIRE(tern.wait() == 0);
    const auto body = server.requests().front().body;
    INFO(body.size());
    CHECK(body.size() <= 6'144);
    for (const char* tool :
         {"context_status", "context_compress", "context_config", "context_summary", "Notes", "NewContext"})
      CHECK(body.find(tool) != std::string::npos);
  }
}
