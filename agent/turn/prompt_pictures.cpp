#include "agent/turn/prompt_pictures.h"

#include <algorithm>
#include <utility>

#include "tools/files/smaller_picture.h"
#include "tools/workspace/file.h"

namespace tern {

void fit_pictures(Agent& agent, Submit& input, std::stop_token stop) {
  const auto large = [](const Attachment& file) {
    return file.media_type.starts_with("image/") && is_too_large(file.bytes);
  };
  auto& files = input.attachments;
  if (std::none_of(files.begin(), files.end(), large)) return;
  agent.inbox.attend([&] {
    for (auto& file : files) {
      if (!large(file)) continue;
      auto smaller = smaller_picture(file.bytes, agent.hands.sandbox, stop);
      if (smaller.empty()) continue;
      file.bytes = std::move(smaller);
      file.media_type = std::string(image_media_type(file.bytes));
    }
  });
  std::erase_if(files, [&](const Attachment& file) {
    if (!large(file) || file.bytes.size() <= picture_bytes) return false;
    const std::string name = file.path.empty() ? "A picture" : file.path;
    agent.emit(Notice{Level::warning,
                      name + " is larger than the 3.7 MB that models take, so only its name was "
                             "sent. With ImageMagick or ffmpeg installed, tern scales pictures down."});
    return true;
  });
}

}  // namespace tern
