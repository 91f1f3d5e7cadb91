#include "compression/reading/working_set.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "tests/support/script.h"

using namespace tern;
using test::script;

namespace {

// The numbers of the calls whose call or result belongs to the working set.
std::string working(const std::string& text) {
  const auto conversation = script(text);
  const auto parts = survey(conversation);
  const auto held = working_set(conversation, parts);
  std::string found;
  for (std::size_t p = 0; p < held.size(); ++p) {
    if (held[p] == Work::none) continue;
    const auto& block = conversation.items[parts.parts[p].item]->blocks[parts.parts[p].block];
    if (const auto* call = std::get_if<ToolCall>(&block)) found += "call " + call->id + " ";
    if (const auto* result = std::get_if<ToolResult>(&block)) found += "result " + result->call_id + " ";
    if (held[p] == Work::named) found += "named ";
  }
  return found;
}

}  // namespace

TEST_CASE("source files read whole belong to the working set; documents, logs and commands do not") {
  CHECK(working("user x\ncall 1 Read a.cpp\nresult 1 40 lines\ncall 2 Read notes.md\nresult 2 40 lines\n"
                "call 3 Bash make\nresult 3 40 lines\ncall 4 Grep parse\nresult 4 40 lines") == "result c1 ");
}

TEST_CASE("a file read again, edited since, or too large to be quoted is not in it") {
  CHECK(working("user x\ncall 1 Read a.cpp\nresult 1 40 lines\ncall 2 Read b.cpp\nresult 2 41 lines\n"
                "call 3 Read a.cpp\nresult 3 42 lines\ncall 4 Read c.cpp\nresult 4 9000 tokens") ==
        "result c2 result c3 ");
  CHECK(working("user x\ncall 1 Read a.cpp\nresult 1 40 lines\ncall 2 Edit a.cpp\nresult 2 2 lines") ==
        "call c2 ");
}

TEST_CASE("the files that the user wrote the names of are told apart, and may be larger") {
  CHECK(working("user Change src/parser.cpp. Then see about e.g. lexer.h, please.\n"
                "call 1 Read src/parser.cpp\nresult 1 40 lines\ncall 2 Read other.cpp\nresult 2 40 lines\n"
                "call 3 Read include/lexer.h\nresult 3 9000 tokens\ncall 4 Read b.h\nresult 4 9000 tokens\n"
                "call 5 Read lib/parser.cpp.in.cpp\nresult 5 41 lines") ==
        "result c1 named result c2 result c3 named result c5 ");
  CHECK(working(
            "user Change parser.cpp\nassistant I read other.cpp\ncall 1 Read other.cpp\nresult 1 40 lines") ==
        "result c1 ");
}
