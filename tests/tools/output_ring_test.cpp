#include "tools/output_ring.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <random>

using namespace tern;

TEST_CASE("newlines are counted as one by one, at every length and density") {
  std::mt19937 dice(3);
  for (std::size_t size : {0, 1, 15, 16, 17, 255, 4079, 4080, 4081, 9000, 70'001}) {
    for (unsigned often : {0u, 1u, 2u, 50u}) {
      std::string text(size, '\0');
      for (char& c : text) c = often == 1 || (often && dice() % often == 0) ? '\n' : static_cast<char>(dice());
      INFO(size << " bytes, one newline in " << often);
      CHECK(newlines_in(text) == static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')));
    }
  }
}
