// The few JSON values that many messages of the protocol are made of.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "compression/values/conversation.h"

namespace tern {

// {"type": "text", "text": …}
nlohmann::json acp_text(std::string_view text);
// {"type": "content", "content": {"type": "text", …}}: a part of a tool call.
nlohmann::json acp_part(std::string_view text);
// {"type": "image", …}
nlohmann::json acp_image(const Image& image);
// {"sessionUpdate": kind}
nlohmann::json acp_update(const char* kind);
// A Markdown fence around text that is none; longer than any fence in it.
std::string fenced(std::string_view text, std::string_view language = {});
// The member of an object that is a list; an empty one otherwise.
const nlohmann::json& member_list(const nlohmann::json& object, const char* name);

}  // namespace tern
