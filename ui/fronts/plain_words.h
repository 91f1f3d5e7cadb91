// How the linear log says what the screen draws. Pure.
#pragma once

#include <string>

#include "agent/protocol/event.h"

namespace tern {

std::string without_bars(std::string text);
std::string spoken_item(std::string item, const std::string& number);  // of a list
std::string outcome(const ToolFinished& done);                         // in a few words

}  // namespace tern
