// Reads texts that a zero byte ends; prints for each a line with its tokens by every family, in the order of
// Family. With --pieces the counts of its pieces follow.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include "compression/values/families.h"

int main(int argc, char** argv) {
  const bool with_pieces = argc > 1 && std::string_view(argv[1]) == "--pieces";
  const std::string all((std::istreambuf_iterator<char>(std::cin)), {});
  for (std::size_t at = 0; at < all.size();) {
    const auto end = std::min(all.find('\0', at), all.size());
    const auto pieces = tern::count_pieces(std::string_view(all).substr(at, end - at));
    for (std::size_t family = 0; family < tern::families; ++family)
      std::printf("%lld ", static_cast<long long>(weigh(pieces, static_cast<tern::Family>(family))));
    if (with_pieces)
      for (const auto count : pieces.counts) std::printf("%u ", count);
    std::puts("");
    at = end + 1;
  }
}
