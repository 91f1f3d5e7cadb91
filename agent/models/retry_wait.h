// How long a service asks to be left alone, read from its headers and from its words.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace tern {

// Seconds, HTTP date or milliseconds; nothing when unreadable or negative.
std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view value, std::string_view ms,
                                                           std::chrono::sys_seconds now);

// "11.054s", "800ms", "1h12m3.5s", "20 seconds", at the beginning of a text.
std::optional<std::chrono::milliseconds> read_duration(std::string_view text);
// "Please try again in 11.054s", "Please retry in 2.5s", where no header says it.
std::optional<std::chrono::milliseconds> wait_in_text(const std::string& message);

}  // namespace tern
