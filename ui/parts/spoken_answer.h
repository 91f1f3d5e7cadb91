// What a typed line answers to a question of the linear log.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "ui/parts/dialog_choices.h"

namespace tern {

// The number of a choice from 1 on, its letter, or yes, always, no.
std::optional<std::size_t> choice_of(std::string_view text, const DialogChoices& choices);
// A lone word, a sentence that begins with a yes, or a slash command: none is certainly a no with its reason,
// so it is asked for again.
bool is_unclear(std::string_view text);

}  // namespace tern
