#include "tools/exec/output_ring.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <random>

using namespace tern;

TEST_CASE("newlines are counted as one by one, at every length and density") {
  std::mt19937 dice(3);
  for (std::size_t size : {0, 1, 15, 16, 17, 255, 4079, 4080, 4081, 9000, 70'001}) {
    for (unsigned often : {0u, 1u, 2u, 50u}) {
      std::string text(size, '\0');
      for (char& c : text)
        c = often == 1 || (often && dice() % often == 0) ? '\n' : static_cast<char>(dice());
      INFO(size << " bytes, one newline in " << often);
      CHECK(newlines_in(text) == static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')));
    }
  }
}

TEST_CASE("read in pieces, a character is whole in one of them") {
  std::string text = "aé€😀";
  for (std::size_t fill : {std::size_t(0), OutputRing::keep - 5, OutputRing::keep, 2 * OutputRing::keep - 3,
                           3 * OutputRing::keep}) {
    OutputRing ring;
    ring.append(std::string(fill, 'x'));
    std::uint64_t read = ring.bytes();
    std::string all;
    for (const char byte : text) {
      ring.append({&byte, 1});
      all += ring.since(read, ring.complete());
      read = ring.complete();
    }
    INFO(fill);
    CHECK(all == text);
    CHECK(read == ring.bytes());
  }
}

TEST_CASE("what is no character is not waited for") {
  OutputRing ring;
  ring.append("a\xff");
  CHECK(ring.complete() == 2);
  ring.append("\xf0\x9f\x98");
  CHECK(ring.complete() == 2);
  CHECK(ring.since(0, ring.complete()) == "a\xef\xbf\xbd");
  CHECK(ring.since(2) == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  ring.append("x");
  CHECK(ring.complete() == ring.bytes());
}

TEST_CASE("what memory no longer holds is counted where it was") {
  OutputRing ring;
  ring.append(std::string(OutputRing::keep, 'h'));
  ring.append(std::string(100, 'm'));
  ring.append(std::string(OutputRing::keep, 't'));
  CHECK(ring.since(OutputRing::keep - 2).find("hh\n[… 100 bytes not shown here …]\ntt") == 0);
  CHECK(ring.since(OutputRing::keep + 40).find("[… 60 bytes not shown here …]\ntt") == 0);
  CHECK(ring.since(OutputRing::keep + 100) == std::string(OutputRing::keep, 't'));
  CHECK(ring.since(0).size() ==
        2 * OutputRing::keep + std::string("\n[… 100 bytes not shown here …]\n").size());
}
