// The sentences of the product: the string literals of its sources that hold at least two words, without
// those that only the model reads.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

// Those of a source in their order; those that the compiler joins are one. Comments and lines of the
// preprocessor are left out.
std::vector<std::string> literals(std::string_view source);
// By file, in the order of the files' names.
std::map<std::string, std::vector<std::string>> sentences(const std::string& tree);
// All of them, as tests/golden/words.txt holds them.
std::string sentence_page(const std::string& tree);

}  // namespace tern
