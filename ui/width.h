// The one idea of how wide text is. Wrap, tables, caret, cell diff and pictures all ask here. Owner of utf8proc.
// Clusters follow UAX #29; a cluster is 0, 1 or 2 columns wide (emoji sequences and wide letters 2).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tern {

struct Cluster {
  std::size_t bytes = 0;
  int columns = 0;
};
// The cluster at `at` in valid UTF-8; bytes == 0 at the end.
Cluster next_cluster(std::string_view text, std::size_t at);
std::size_t previous_boundary(std::string_view text, std::size_t at);
int width(std::string_view text);
// The longest prefix of whole clusters that fits; never splits one.
std::size_t fit(std::string_view text, int columns);
// Cut to `columns` with an ellipsis when it does not fit.
std::string shorten(std::string_view text, int columns);
// Cut the middle, for paths: "src/…/tokenizer.cpp".
std::string shorten_middle(std::string_view text, int columns);

// East Asian "ambiguous" letters: 1 column, or 2 when the person's terminal says so. Set once at start.
void set_ambiguous_width(int columns);

}  // namespace tern
