#include "compression/text/image_size.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

using namespace tern;

namespace {

bool is(const std::string& blob, int width, int height) {
  const ImageSize size = image_size(blob);
  INFO(size.width << "x" << size.height);
  CHECK((size.width == width && size.height == height));
  for (std::size_t cut = 0; cut < blob.size(); ++cut)
    image_size(std::string(blob, 0, cut));  // a cut header reads nothing beyond
  return true;
}

}  // namespace

TEST_CASE("the size of a picture stands in its header") {
  is(std::string("\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR\0\0\x03\x20\0\0\x02\x58", 24), 800, 600);
  is(std::string("GIF89a\x40\x01\xC8\0", 10), 320, 200);
  is(std::string("\xFF\xD8\xFF\xE0\0\x04zz\xFF\xC0\0\x11\x08\x01\xE0\x02\x80\x03", 18), 640, 480);
  is(std::string("RIFF\x1A\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9D\x01\x2A\x80\x02\xE0\x01", 30), 640, 480);
  is(std::string("RIFF\x1A\0\0\0WEBPVP8L\0\0\0\0\x2F\x7F\xC2\x77\0\0\0\0\0", 30), 640, 480);
  is(std::string("RIFF\x1A\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x7F\x02\0\xDF\x01\0", 30), 640, 480);
  is("no picture", 0, 0);
  is(std::string("\xFF\xD8\xFF\xE0\0\0\xFF\xE0\0\0\0\0\0", 13), 0, 0);
}
