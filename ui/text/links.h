// Targets of links (OSC 8) by number, so that a style can carry one through wrapping into a cell. UI thread
// only. Nothing is linked until allow_links(true): the terminal must know the sequence, or ignore it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tern {

void allow_links(bool allowed);
// Zero where links are off, for another scheme than http, https and mailto, and for a target with a byte no
// address has.
std::uint16_t web_link(std::string_view address);
std::uint16_t file_link(std::string_view absolute_path);
const std::string& link_target(std::uint16_t link);  // empty for zero

}  // namespace tern
