#include "compression/values/call_values.h"

#include <algorithm>

namespace tern {

std::string without_keys(std::string_view arguments) {
  std::string values(arguments);
  for (std::size_t at = values.find('"'); at < values.size(); at = values.find('"', at)) {
    const auto begin = at++;
    while (at < values.size() && values[at] != '"') at += values[at] == '\\' ? 2 : 1;
    if (at >= values.size()) break;
    const auto next = values.find_first_not_of(" \t\r\n", ++at);
    if (next != values.npos && values[next] == ':')
      std::fill(values.begin() + static_cast<std::ptrdiff_t>(begin),
                values.begin() + static_cast<std::ptrdiff_t>(at), ' ');
  }
  return values;
}

}  // namespace tern
