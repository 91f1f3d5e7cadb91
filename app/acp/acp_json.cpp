#include "app/acp/acp_json.h"

#include "agent/models/wire.h"

#include <algorithm>

namespace tern {

using nlohmann::json;

json acp_text(std::string_view text) {
  json block;
  block["type"] = "text";
  block["text"] = std::string(text);
  return block;
}

json acp_part(std::string_view text) {
  json part;
  part["type"] = "content";
  part["content"] = acp_text(text);
  return part;
}

json acp_image(const Image& image) {
  json block;
  block["type"] = "image";
  block["mimeType"] = image.media_type;
  std::string data;
  append_base64(data, image.blob);
  block["data"] = std::move(data);
  return block;
}

json acp_update(const char* kind) {
  json update;
  update["sessionUpdate"] = kind;
  return update;
}

std::string fenced(std::string_view text, std::string_view language) {
  std::size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  std::string out = fence + std::string(language) + "\n" + std::string(text);
  if (out.back() != '\n') out += '\n';
  return out + fence;
}

const json& member_list(const json& object, const char* name) {
  static const json none = json::array();
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found != object.end() && found->is_array() ? *found : none;
}

}  // namespace tern
