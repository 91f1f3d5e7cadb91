// What a model answered when it was asked for a summary, taken apart: its private part goes, closed or not,
// and what stands between the summary's tags is left. Tags count in capitals too; one that is only spoken of
// is told from one that opens.
#pragma once

#include <string>
#include <string_view>

#include "compression/values/budget.h"

namespace tern {

struct ParsedSummary {
  std::string text;     // untrimmed; all that is not private when there are no tags
  bool opened = false;  // the opening tag was there
  bool closed = false;  // the closing tag was there and ended the answer: nothing was cut off
};
ParsedSummary summary_answer(std::string_view answer, SummaryStyle style);

// The style whose tag opens first, `otherwise` when there is none.
SummaryStyle style_of_answer(std::string_view answer, SummaryStyle otherwise);

}  // namespace tern
