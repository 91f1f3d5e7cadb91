#include "compression/text/figures.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace tern {

std::string money(double dollars) {
  char text[32];
  std::snprintf(text, sizeof text, std::abs(dollars) >= 0.1 ? "$%.2f" : "$%.4f", dollars);
  return text;
}

std::string thousands(std::int64_t tokens) {
  char text[32];
  if (std::abs(tokens) < 1000) return std::to_string(tokens);
  if (std::abs(tokens) < 10'000)
    std::snprintf(text, sizeof text, "%.1fk", static_cast<double>(tokens) / 1000);
  else if (std::abs(tokens) < 1'000'000)
    std::snprintf(text, sizeof text, "%.0fk", static_cast<double>(tokens) / 1000);
  else
    std::snprintf(text, sizeof text, "%.1fM", static_cast<double>(tokens) / 1e6);
  return text;
}

std::string counted(std::int64_t n, std::string_view noun, std::string_view many) {
  const auto plural = many.empty() ? std::string(noun) + 's' : std::string(many);
  return std::to_string(n) + ' ' + (n == 1 ? std::string(noun) : plural);
}

}  // namespace tern
