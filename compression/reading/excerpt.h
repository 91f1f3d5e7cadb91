// A block of which only some lines stay: what it was, its recall id, and those lines.
#pragma once

#include <vector>

#include "compression/reading/survey.h"

namespace tern {

struct ExcerptInput {
  const std::vector<ItemPtr>& items;
  const Survey& survey;           // of these items
  const std::vector<char>& kept;  // parallel to survey.lines
  bool described = false;         // a result of which nothing is kept is told in one line
};
Block excerpt(const ExcerptInput& input, const SurveyPart& part);

}  // namespace tern
