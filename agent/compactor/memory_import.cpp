#include "agent/compactor/memory_import.h"

#include <algorithm>
#include <cstdlib>

#include "compression/text/lines.h"

namespace tern {
namespace {

namespace fs = std::filesystem;

// The names in one line that is no code.
void names_of(std::string_view line, std::vector<std::string>& names) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    quoted ^= line[i] == '`';
    const bool begins = i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t' || line[i - 1] == '(';
    if (quoted || line[i] != '@' || !begins) continue;
    auto name = line.substr(i + 1);
    name = name.substr(0, std::min(name.find_first_of(" \t\r`"), name.size()));
    while (!name.empty() && std::string_view(".,;:!?)").find(name.back()) != std::string_view::npos)
      name.remove_suffix(1);
    if (!name.empty()) names.emplace_back(name);
  }
}

bool below(const fs::path& folder, const fs::path& path) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

}  // namespace

std::vector<std::string> imports_in(std::string_view markdown) {
  std::vector<std::string> names;
  std::string fence;
  each_line_of(markdown, [&](std::string_view line) {
    const auto text = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
    const bool mark = text.starts_with("```") || text.starts_with("~~~");
    if (mark && fence.empty())
      fence = text.substr(0, 3);
    else if (mark && text.starts_with(fence))
      fence.clear();
    else if (fence.empty())
      names_of(line, names);
  });
  return names;
}

fs::path imported_file(const std::string& written, const fs::path& importer, const fs::path& within) {
  fs::path path = written;
  const char* home = std::getenv("HOME");
  if (written.starts_with("~/") && home) path = fs::path(home) / written.substr(2);
  std::error_code error;
  const auto real = fs::canonical(importer.parent_path() / path, error);
  if (error || !fs::is_regular_file(real, error)) return {};
  const auto bound = fs::canonical(within, error);
  return !error && below(bound, real) ? real : fs::path();
}

}  // namespace tern
