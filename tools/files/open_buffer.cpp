#include "tools/files/open_buffer.h"

#include <algorithm>

#include "tools/files/encoding.h"
#include "tools/files/file_memory.h"
#include "tools/set/tool.h"
#include "tools/workspace/workspace.h"

namespace tern {
namespace {

// Editors keep line ends and the mark at the start apart from the text.
std::string bare(std::string text) {
  std::erase(text, '\r');
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  return text;
}

}  // namespace

std::optional<std::string> unsaved_text(const Place& place, const Loaded& loaded, const ToolContext& ctx) {
  if (!ctx.files.open_buffer) return std::nullopt;
  const Charset charset = ctx.files.charset(place.real, loaded.bytes);
  if (charset.encoding == Encoding::binary) return std::nullopt;
  auto shown = ctx.files.open_buffer(place.real, ctx.stop);
  if (!shown) return std::nullopt;
  const TextView disk(loaded.bytes, charset);
  if (bare(std::string(disk.text())) == bare(*shown)) return std::nullopt;
  return shown;
}

}  // namespace tern
