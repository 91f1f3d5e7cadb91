// Copying without a clipboard library: OSC 52 through the terminal, wrapped when tmux stands between.
#pragma once

#include <string>
#include <string_view>

namespace tern {

std::string base64(std::string_view bytes);
std::string copy_sequence(std::string_view text, bool in_tmux);

}  // namespace tern
