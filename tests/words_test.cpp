// Phrases that people stumbled over do not come back, and all sentences are in one file, for reading in one
// go.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/places.h"
#include "tests/support/sentence_list.h"

using namespace tern;

namespace {
std::string only_in(const std::string& one, const std::string& other) {
  std::multiset<std::string> lines;
  std::string line, out;
  for (std::istringstream in(other); std::getline(in, line);) lines.insert(line);
  for (std::istringstream in(one); std::getline(in, line);) {
    const auto found = lines.find(line);
    if (found == lines.end())
      out += line + "\n";
    else
      lines.erase(found);
  }
  return out;
}
}  // namespace

TEST_CASE("literals are read as the compiler joins them") {
  const std::string source =
      "#include \"not this\"\nf(\"a b\"  // \"nor this\"\n  \" c\", 'x', '\"', R\"(raw \"text\")\");\n/* "
      "\"no\" */ int n = "
      "1'000;";
  CHECK(literals(source) == std::vector<std::string>{"a b c", "raw \"text\""});
}

TEST_CASE("no sentence is one that people stumbled over") {
  static constexpr std::string_view worst[] = {"one of the commands known to only look",
                                               "is only known then",
                                               "asks because",
                                               "beyond all sense",
                                               "is none of",
                                               "said and seen",
                                               "only looks",
                                               "goes before it",
                                               "somebody else"};
  for (const auto& [file, texts] : sentences(std::string(places::source_tree()))) {
    if (file.starts_with("agent/models")) continue;  // for the model
    for (const std::string& text : texts)
      for (const std::string_view phrase : worst) {
        INFO(file << ": " << text);
        CHECK(text.find(phrase) == std::string::npos);
      }
  }
}

TEST_CASE("every sentence of the product is in one file") {
  const std::string tree(places::source_tree());
  std::ifstream in(tree + "/tests/golden/words.txt", std::ios::binary);
  const std::string kept(std::istreambuf_iterator<char>(in), {}), now = sentence_page(tree);
  if (kept == now) return;
  INFO("gone:\n" << only_in(kept, now) << "new:\n" << only_in(now, kept));
  FAIL_CHECK("sentences have changed: tests/words writes tests/golden/words.txt anew; read its difference");
}
