// Numbers as people read them, the same everywhere on screen.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tern {

std::string short_count(std::int64_t tokens);               // 812, 7.8k, 122k, 1.2M
std::string duration(std::int64_t milliseconds);            // 120 ms, 2.1 s, 1 m 12 s, 2 h 3 m
std::string seconds(std::int64_t milliseconds);             // whole ones, for clocks that run: 12 s, 1 m 12 s
std::string dollars(double amount);                         // $0.41, $0.004
std::string plural(std::int64_t n, std::string_view noun);  // "1 file", "3 files"

}  // namespace tern
