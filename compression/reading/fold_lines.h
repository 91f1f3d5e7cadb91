// Rounds folded into one text: what was done, grouped by its subject, each with its recall ids and the lines
// that were kept. The deepest cut of the line engine; grouping makes a round cost a few tokens.
#pragma once

#include <string>
#include <vector>

#include "compression/reading/survey.h"

namespace tern {

// An assistant message with all its results, or an assistant message without calls, free of pins and of human
// text: the number of items it takes from `at`, or zero.
std::size_t foldable(const std::vector<ItemPtr>& items, std::size_t at);

// The directory most subjects share, with its last slash; empty when there is none worth naming.
std::string common_directory(const std::vector<ItemPtr>& items);

struct FoldInput {
  const std::vector<ItemPtr>& items;
  const Survey& survey;
  const std::vector<char>& kept;  // parallel to survey.lines
  std::string directory;          // taken off every subject
};
// The text that stands for items first..last (both belong to it); the first of several explains how to read
// them.
std::string fold_text(const FoldInput& input, std::size_t first, std::size_t last, bool explain);

// About what a subject costs when it is named.
Tokens subject_cost(std::string_view subject, const std::string& directory);
std::string_view subject_of(const ToolResult& result);

}  // namespace tern
