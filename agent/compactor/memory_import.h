// Which other files a memory file asks for: "@docs/style.md" at the begin of a word, outside of code.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

constexpr int deepest_import = 5;

std::vector<std::string> imports_in(std::string_view markdown);  // as they are written, in order

// The file that `written` in `importer` means, or nothing: it must be there and, every link resolved, below
// `within`.
std::filesystem::path imported_file(const std::string& written, const std::filesystem::path& importer,
                                    const std::filesystem::path& within);

}  // namespace tern
