// What a client says in a prompt, as a prompt of ours. Pure.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "agent/protocol/command.h"

namespace tern {

struct AcpPrompt {
  Submit submit;
  std::string error;  // not empty: the prompt is refused
};

// Text, images, embedded resources and links to resources. A link to a file becomes a mention of it, relative
// to `cwd` where it is below.
AcpPrompt read_prompt(const nlohmann::json& blocks, const std::filesystem::path& cwd);

}  // namespace tern
