#include "ui/terminal/theme_names.h"

#include "ui/terminal/theme.h"

namespace tern {

std::vector<std::string> theme_names() {
  std::vector<std::string> names;
  for (const ThemeRow& row : theme_rows()) names.emplace_back(row.name);
  return names;
}

}  // namespace tern
