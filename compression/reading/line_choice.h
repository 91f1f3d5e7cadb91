// Which lines to keep: a greedy cover of the names a later step is likely to need, by value for each token.
#pragma once

#include <vector>

#include "compression/reading/survey.h"

namespace tern {

// How likely a name is to be needed again, on a scale of its own: what the person or the assistant wrote
// itself counts most, then what came up often, then what came up lately.
float need_of(const NameUse& use);

class LineChoice {
 public:
  explicit LineChoice(const Survey& survey);

  void keep_part(std::size_t part);   // every line of it stays
  void keep_frame(std::size_t part);  // only the lines marked as frame
  void keep_words(std::size_t part);  // only the person's words in a summary

  void hold_part(std::size_t part);  // its names are held elsewhere; no line stays

  // Keeps the candidates of most value for their tokens while the room lasts. A name is worth its need once.
  // Returns the room left.
  Tokens spend(const std::vector<std::uint32_t>& candidates, Tokens room);

  const std::vector<char>& kept() const { return kept_; }

 private:
  void keep(std::uint32_t line);
  float value(std::uint32_t line) const;

  const Survey& survey_;
  std::vector<float> needs_;
  std::vector<char> held_, kept_;
  std::vector<float> kept_bytes_;  // of each part
};

}  // namespace tern
