// What a front end asks the session, one struct a question: answered at once, in the middle of a turn as
// well, by one Page, report, list or Notice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "compression/values/conversation.h"

namespace tern {

struct AskContext {
  bool again = false;  // for a panel that is open: the answer opens none
};
struct AskContextItems {};
struct AskCompactionLog {};
struct AskTuning {};
struct AskSummaries {};  // as a list
struct AskSummaryTexts {
  std::size_t newest = 10;
};
struct AskSummaryAudit {};  // what each kept and lost
struct AskSummary {
  std::uint64_t number = 0;
  bool compared = false;  // with the originals it was made of
};
struct AskOriginals {};  // as a list
struct AskOriginal {
  RecallId id;
};
struct SearchOriginals {
  std::string text;
};
// Words that ask for nothing.
struct Misread {
  std::string why;
};
// A question whose words the session reads itself.
struct AskedWords {
  std::string name, argument;
};

using Query = std::variant<AskContext, AskContextItems, AskCompactionLog, AskTuning, AskSummaries,
                           AskSummaryTexts, AskSummaryAudit, AskSummary, AskOriginals, AskOriginal,
                           SearchOriginals, Misread, AskedWords>;

struct ApplyTuning {};

// What is changed at once, in the middle of a turn as well, and answered like a question.
using Change = std::variant<ApplyTuning>;

}  // namespace tern
