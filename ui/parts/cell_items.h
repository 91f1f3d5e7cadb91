// What a cell of the transcript is in the context: the name by which a user acts on it, and its size.
#pragma once

#include <string>

#include "ui/parts/view.h"

namespace tern {

std::string item_name(const Cell& cell);   // "r17", as the list of items has it; "": no item to act on
std::string item_words(const Cell& cell);  // "Read src/a.cpp", "you", "answer"
Tokens item_tokens(const Cell& cell);      // about; what has left the context counts nothing

}  // namespace tern
