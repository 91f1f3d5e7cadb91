#include "agent/mcp/file_uri.h"

#include <catch2/catch_test_macros.hpp>

using namespace tern;

TEST_CASE("a path comes back from its address", "[mcp]") {
  for (const std::string path : {"/src/a.cpp", "/with space/ü#%20?.ts", "/项目/主.py"})
    CHECK(path_of_uri(file_uri(path)) == path);
  CHECK(path_of_uri("file:///c%3A/x%2") == "/c:/x%2");
  CHECK(path_of_uri("untitled:1").empty());
}
