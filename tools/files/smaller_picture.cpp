#include "tools/files/smaller_picture.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "compression/text/image_size.h"
#include "tools/exec/exchange.h"
#include "tools/files/program_path.h"
#include "tools/workspace/file.h"

namespace tern {

namespace {

constexpr std::chrono::seconds patience{20};
constexpr const char* to_side = "2000x2000>";
constexpr const char* to_side_of_video =
    "scale='min(2000,iw)':'min(2000,ih)':force_original_aspect_ratio=decrease";

using Words = std::vector<std::string>;

struct Scaler {
  const char* program;
  Words (*arguments)(const std::string& from, const std::string& to);  // "png", "jpeg"
};

Words magick(const std::string& from, const std::string& to) {
  return {from + ":-[0]", "-auto-orient", "-resize", to_side, "-strip", "-quality", "85", to + ":-"};
}

Words graphics_magick(const std::string& from, const std::string& to) {
  auto words = magick(from, to);
  words.insert(words.begin(), "convert");
  return words;
}

Words ffmpeg(const std::string&, const std::string& to) {
  const std::string codec = to == "png" ? "png" : "mjpeg";
  return {"-v",         "error", "-i", "pipe:0", "-vf", to_side_of_video, "-frames:v", "1", "-f",
          "image2pipe", "-q:v",  "4",  "-c:v",   codec, "pipe:1"};
}

constexpr Scaler scalers[] = {
    {"magick", magick}, {"convert", magick}, {"gm", graphics_magick}, {"ffmpeg", ffmpeg}};

bool fits(std::string_view picture) { return !picture.empty() && !is_too_large(picture); }

std::string run(const Scaler& scaler, const std::string& program, std::string_view picture,
                const std::string& to, const Sandbox& sandbox, const std::stop_token& stop) {
  std::string type(image_media_type(picture));
  type.erase(0, type.find('/') + 1);
  ProcessSpec spec{.cwd = "/", .env = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"}};
  spec.argv = scaler.arguments(type, to);
  spec.argv.insert(spec.argv.begin(), program);
  if (sandbox.on) spec.sandbox = look_only(sandbox);
  spec.sandbox.notices = Notices::none;
  spec.two_way = true;
  Process process;
  if (!process.start(spec).empty()) return {};
  std::string made;
  ProcessEnd end;
  if (!exchange(process, picture, made, end, stop, patience) || end.status != 0 || !end.error.empty())
    return {};
  return image_media_type(made) == "image/" + to ? made : std::string();
}

}  // namespace

bool is_too_large(std::string_view picture) {
  const auto size = image_size(picture);
  return picture.size() > picture_bytes || std::max(size.width, size.height) > picture_side;
}

// A drawing stays a PNG, whose letters are sharp, as long as that is small enough.
std::string smaller_picture(std::string_view picture, const Sandbox& sandbox, const std::stop_token& stop) {
  for (const Scaler& scaler : scalers) {
    const auto program = find_program(scaler.program);
    if (program.empty()) continue;
    std::string made;
    if (image_media_type(picture) == "image/png") made = run(scaler, program, picture, "png", sandbox, stop);
    if (!fits(made) && !stop.stop_requested()) made = run(scaler, program, picture, "jpeg", sandbox, stop);
    if (fits(made)) return made;
  }
  return {};
}

}  // namespace tern
