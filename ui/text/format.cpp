#include "ui/text/format.h"

#include <cstdio>
#include <cstdlib>

namespace tern {
namespace {

template <class... Args>
std::string print(const char* format, Args... args) {
  char out[64];
  std::snprintf(out, sizeof out, format, args...);
  return out;
}

}  // namespace

std::string short_count(std::int64_t tokens) {
  const double n = static_cast<double>(tokens);
  const std::int64_t size = std::llabs(tokens);
  if (size < 1'000) return std::to_string(tokens);
  if (size < 9'950) return print("%.1fk", n / 1e3);
  if (size < 999'500) return print("%.0fk", n / 1e3);
  return print(size < 9'950'000 ? "%.1fM" : "%.0fM", n / 1e6);
}

std::string duration(std::int64_t milliseconds) {
  const std::int64_t seconds = milliseconds / 1000;
  if (milliseconds < 1'000) return std::to_string(milliseconds) + " ms";
  if (milliseconds < 60'000) return print("%.1f s", static_cast<double>(milliseconds) / 1e3);
  if (seconds < 3'600)
    return print("%lld m %lld s", static_cast<long long>(seconds / 60), static_cast<long long>(seconds % 60));
  return print("%lld h %lld m", static_cast<long long>(seconds / 3'600),
               static_cast<long long>(seconds / 60 % 60));
}

std::string seconds(std::int64_t milliseconds) {
  return milliseconds < 60'000 ? std::to_string(milliseconds / 1000) + " s" : duration(milliseconds);
}

std::string dollars(double amount) {
  if (amount != 0 && amount < 0.01) return print("$%.4f", amount);
  return print("$%.2f", amount);
}

std::string plural(std::int64_t n, std::string_view noun) {
  return std::to_string(n) + ' ' + std::string(noun) + (n == 1 ? "" : "s");
}

}  // namespace tern
