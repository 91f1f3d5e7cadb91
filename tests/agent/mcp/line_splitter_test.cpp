#include "agent/mcp/line_splitter.h"

#include <catch2/catch_test_macros.hpp>
#include <vector>

using namespace tern;

namespace {

std::vector<std::string> split(std::string_view bytes, std::size_t chunk, std::size_t limit) {
  std::vector<std::string> seen;
  LineSplitter splitter(limit);
  const LineSplitter::Lines lines{.whole = [&](std::string line) { seen.push_back(std::move(line)); },
                                  .too_long =
                                      [&](std::string_view head, std::string_view tail) {
                                        seen.push_back(std::string(head) + ".." + std::string(tail));
                                      }};
  for (std::size_t at = 0; at < bytes.size(); at += chunk) splitter.feed(bytes.substr(at, chunk), lines);
  return seen;
}

}  // namespace

TEST_CASE("lines are the same however the bytes are cut, and a long one keeps its ends") {
  const std::string head(300, 'h'), tail(300, 't');
  const std::string bytes =
      "one\n\n \r\ntwo\n" + head + std::string(2'000, 'x') + tail + "\nthree\nunfinished";
  const std::vector<std::string> expected{"one", "two", head.substr(0, 256) + ".." + tail.substr(0, 256),
                                          "three"};
  for (const std::size_t chunk : {1u, 2u, 7u, 100u, 999u, 10'000u})
    CHECK(split(bytes, chunk, 1'000) == expected);
}
