#include "tests/support/golden.h"
#include "tests/support/places.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace tern {

std::string golden_difference(std::string_view name, std::string_view picture) {
  const std::string path = std::string(places::source_tree()) + "/tests/golden/" + std::string(name) + ".txt";
  if (std::getenv("TERN_UPDATE_GOLDEN")) {
    std::ofstream(path, std::ios::binary) << picture;
    return {};
  }
  std::ifstream in(path, std::ios::binary);
  const std::string expected(std::istreambuf_iterator<char>(in), {});
  if (in && expected == picture) return {};
  return path + "\n--- expected\n" + expected + "--- is\n" + std::string(picture);
}

}  // namespace tern
