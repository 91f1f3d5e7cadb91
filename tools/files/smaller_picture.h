// Pictures that are too large for a model, made smaller by a program that is installed here (ImageMagick,
// GraphicsMagick or ffmpeg), in the sandbox.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "tools/sandbox/sandbox.h"

namespace tern {

inline constexpr std::size_t picture_bytes = 3'750'000;  // base64 of it is the 5 MB that providers take
inline constexpr int picture_side = 2'000;               // no provider refuses a smaller picture for its size

bool is_too_large(std::string_view picture);

// A PNG or JPEG within both limits; empty when no program here could make one.
std::string smaller_picture(std::string_view picture, const Sandbox& sandbox, const std::stop_token& stop);

}  // namespace tern
