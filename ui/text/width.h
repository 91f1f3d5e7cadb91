// The one idea of how wide text is. Wrap, tables, caret, cell diff and pictures all ask here. Owner of
// utf8proc. Clusters follow UAX #29, broken where terminals that count code points would need more columns
// (spacing vowel signs beyond two columns, runs of leading jamo, skin tones on what is no person) and after
// ten code points; only emoji sequences count less than their code points do. A cluster is 0, 1 or 2 columns
// wide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tern {

struct Cluster {
  std::size_t bytes = 0;
  int columns = 0;
};
// The cluster at `at` in valid UTF-8; bytes == 0 at the end.
Cluster next_cluster(std::string_view text, std::size_t at);
// What a terminal without clusters may use for this one; more than its columns for emoji sequences only.
int most_columns(std::string_view cluster);
// Whether a code point is drawn onto the one before it: marks of every script, vowels and tails of jamo.
bool is_mark(std::uint32_t code);
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
