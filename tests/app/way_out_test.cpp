// How the program ends, seen from a shell: exit codes, and what has reached standard output and standard error by then.
#include <catch2/catch_test_macros.hpp>

#include "tests/support/fake_llm.h"
#include "tests/support/shell_run.h"

using namespace tern::test;

TEST_CASE("a program that ends while curl is still being loaded ends in order") {
  const Home home;
  const auto run =
      shell_run(home,
                "for i in 1 2 3 4 5 6 7 8 9 10; do\n"
                "  for j in 1 2 3 4 5 6 7 8 9 10 11 12; do (\"$TERN\" -p -r nosuch hi >/dev/null 2>&1; echo $?) & done; wait\n"
                "done",
                service(wires()[0], "http://127.0.0.1:9"));
  std::string wanted;
  for (int n = 0; n < 120; ++n) wanted += "2\n";
  CHECK(run.out == wanted);
}
