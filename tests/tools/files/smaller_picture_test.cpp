// Pictures larger than models take are scaled down by what is installed; here by a stand-in for it.
#include "tools/files/smaller_picture.h"

#include <stdlib.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/temp_dir.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

std::string png(int width, int height, std::size_t bytes = 40) {
  const auto word = [](int n) { return std::string{char(n >> 24), char(n >> 16), char(n >> 8), char(n)}; };
  return std::string("\x89PNG\r\n\x1a\n", 8) + word(13) + "IHDR" + word(width) + word(height) +
         std::string(bytes, 'x');
}

// Programs by these names and scripts, and nothing else to scale with.
struct Installed {
  test::TempDir folder;
  std::string before = std::getenv("PATH");

  Installed() { ::setenv("PATH", folder.path().c_str(), 1); }
  ~Installed() { ::setenv("PATH", before.c_str(), 1); }

  void add(const std::string& name, const std::string& script) {
    const auto file = folder.path() / name;
    std::ofstream(file) << "#!/bin/sh\n" << script;
    fs::permissions(file, fs::perms::owner_all);
  }
  void add_picture(const std::string& name, const std::string& bytes) {
    std::ofstream(folder.path() / name, std::ios::binary) << bytes;
  }
};

std::string scaled(const std::string& picture) { return smaller_picture(picture, {}, {}); }

}  // namespace

TEST_CASE("a picture is too large by its bytes or by a side") {
  CHECK_FALSE(is_too_large(png(2'000, 2'000)));
  CHECK(is_too_large(png(2'001, 10)));
  CHECK(is_too_large(png(10, 2'001)));
  CHECK(is_too_large(png(10, 10, 4'000'000)));
}

TEST_CASE("a picture goes through the program whole, and what comes back is checked") {
  Installed here;
  here.add_picture("small.png", png(2'000, 1'000));
  const auto folder = here.folder.path().string();
  // Answers only when all 5,000,024 bytes have come, and only as a PNG of at most 2,000 pixels.
  here.add("magick",
           "n=$(wc -c)\ncase \"$*\" in *2000x2000*png:-) ;; *) exit 1 ;; esac\n[ $n -eq 5000024 ] && cat " +
               folder + "/small.png\n");
  CHECK(scaled(png(9'000, 4'500, 5'000'000)) == png(2'000, 1'000));
  CHECK(scaled(png(9'000, 4'500, 10)).empty());
}

TEST_CASE("a drawing that stays too large as a PNG becomes a JPEG, and another program is tried") {
  Installed here;
  const auto folder = here.folder.path().string();
  here.add_picture("large.png", png(2'000, 1'000, 4'000'000));
  here.add_picture("small.jpg", "\xff\xd8\xff\xe0 small");
  here.add("magick", "cat > /dev/null\nexit 3\n");
  here.add("convert", "cat > /dev/null\ncase \"$*\" in *png:-) cat " + folder + "/large.png ;; *) cat " +
                          folder + "/small.jpg ;; esac\n");
  CHECK(scaled(png(9'000, 4'500)) == "\xff\xd8\xff\xe0 small");
}

TEST_CASE("without a program, or with one that writes anything else, there is no smaller picture") {
  Installed here;
  CHECK(scaled(png(9'000, 4'500)).empty());
  here.add("ffmpeg", "cat > /dev/null\necho not a picture\n");
  CHECK(scaled(png(9'000, 4'500)).empty());
}
