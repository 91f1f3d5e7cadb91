// Pictures that go with a prompt: how a text names them, what their chip says, and the bytes that are sent.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/protocol/command.h"

namespace tern {

// The files that stand behind an '@' in a prompt: one word, or in quotes (@"a b.png").
std::vector<std::string> mentioned_files(std::string_view text);
std::string mention(std::string_view path);  // in quotes, so that nothing beside it changes it

// The paths a terminal pastes when pictures are dropped on it (quoted, with backslashes, as file:// or
// plain); nothing when the text names anything else, too.
std::vector<std::string> dropped_pictures(std::string_view pasted, const std::string& home);

// "[Image 640x480 png]" for a text that mentions one picture and nothing else, "[Image gone: a.png]" when it
// is no more; else "".
std::string picture_label(std::string_view text, const std::string& cwd);

// Those that are mentioned and small enough. `too_large` names the first that is not.
std::vector<Attachment> attached_pictures(std::string_view text, const std::string& cwd,
                                          std::string& too_large);

std::string_view picture_type(
    std::string_view bytes);  // "image/png" …, by the first bytes; "": not one that models take

}  // namespace tern
