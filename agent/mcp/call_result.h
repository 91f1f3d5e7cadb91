// What a server's tool answers, as the model and the person see it: one of text and structured content,
// images of the kinds models take, everything else as a file with its path.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/set/tool.h"

namespace tern {

// `folder`: ours and private, for what is no text. Never throws, whatever the result is. It may be large:
// texts are taken out of it.
ToolOutput output_of_call(nlohmann::json result, const std::filesystem::path& folder);

// The same of "resources/read" and of "prompts/get".
ToolOutput output_of_resource(nlohmann::json result, const std::filesystem::path& folder);
ToolOutput output_of_prompt(nlohmann::json result, const std::filesystem::path& folder);

}  // namespace tern
