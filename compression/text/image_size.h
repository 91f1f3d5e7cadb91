// How large a picture is, from its header: PNG, JPEG, GIF and WebP.
#pragma once

#include <string_view>

namespace tern {

struct ImageSize {
  int width = 0, height = 0;
};
ImageSize image_size(std::string_view blob);  // zeros: no header that we know, or a cut one

}  // namespace tern
