#include "agent/lsp/diagnostic.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

namespace {

using namespace tern;
using nlohmann::json;

Diagnostic error_at(int line, const std::string& message) { return {.line = line, .message = message}; }

}  // namespace

TEST_CASE("diagnostics are read whatever a server writes", "[lsp]") {
  const json list = json::parse(R"([
    {"range":{"start":{"line":4,"character":2}},"severity":2,"message":"unused\n  variable","code":"W1"},
    {"range":{"start":{"line":0,"character":0}},"message":"no such file","code":17},
    {"range":{"start":{"line":0,"character":0}},"message":"no such file","code":17},
    {"range":"everywhere","severity":99,"message":{"a":1}}, 5, null])");
  const auto read = read_diagnostics(list);
  REQUIRE(read.size() == 3);
  CHECK(diagnostic_rows(read, 9) ==
        "ERROR [1:1] no such file (17)\nHINT [1:1] \nWARNING [5:3] unused   variable (W1)\n");
  CHECK(diagnostic_rows(read, 1) == "ERROR [1:1] no such file (17)\n… 2 more\n");
  CHECK(read_diagnostics("nothing").empty());
}

TEST_CASE("an error that only moved is not new, a second one of the same kind is", "[lsp]") {
  const std::vector<Diagnostic> before{error_at(3, "no such name"), error_at(9, "missing ;")};
  CHECK(new_errors(before, {error_at(4, "no such name"), error_at(10, "missing ;")}).empty());
  const auto fresh = new_errors(
      before, {error_at(4, "no such name"), error_at(5, "no such name"), error_at(6, "wrong type")});
  CHECK(diagnostic_rows(fresh, 9) == "ERROR [5:1] no such name\nERROR [6:1] wrong type\n");
  CHECK(new_errors({}, {{.line = 1, .level = DiagnosticLevel::warning, .message = "unused"}}).empty());
}
