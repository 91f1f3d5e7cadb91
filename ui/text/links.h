// Targets of links (OSC 8) by number, so that a style can carry one through wrapping into a cell. UI thread
// only. Nothing is linked until allow_links(true): the terminal must know the sequence, or ignore it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tern {

void allow_links(bool allowed);
bool is_web_address(std::string_view address);  // http, https or mailto, and no byte that no address has
// Zero where links are off, and for any other address.
std::uint16_t web_link(std::string_view address);
std::uint16_t file_link(std::string_view absolute_path);
const std::string& link_target(std::uint16_t link);  // empty for zero

}  // namespace tern
