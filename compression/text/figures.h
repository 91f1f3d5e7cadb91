// Figures as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tern {

std::string money(double dollars);           // "$0.41", "$0.0062"
std::string thousands(std::int64_t tokens);  // "78k", "950"
std::string counted(std::int64_t n, std::string_view noun,
                    std::string_view many = {});  // "1 turn", "3 turns"

}  // namespace tern
