// $VISUAL or $EDITOR on a text. The terminal must have been left; blocks until the editor ends.
// One that is stopped stops us with it, and both go on at `fg`; SIGTERM and SIGHUP end it and then reach us.
#pragma once

#include <optional>
#include <string>

namespace tern {

// Nothing, and a word in `error`, when there is no editor or it failed: the text stays as it was.
std::optional<std::string> edit_in_editor(const std::string& text, std::string& error);

}  // namespace tern
