// What a summary keeps word for word: the messages of the user that leave with its stretch, and the answers
// that matter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compression/values/conversation.h"

namespace tern {

// A message of the person; an earlier summary's quote of one has no id of its own.
struct Words {
  std::string text;  // as it is quoted
  RecallId recall;
};

struct People {
  std::vector<Words> messages;
  std::size_t more = 0;  // left out of earlier summaries
  Tokens tokens = 0;
  bool opens = true;  // the first of them is the first request; else that one stays beside the summary
};

// `goes` is parallel to the items: what stays in the context needs no quote.
People people_of(const std::vector<ItemPtr>& items, const std::vector<bool>& goes);

// All of it when it fits; else the first request, what the others demand, then the newest, and how many more
// there are. Of a long one that does not fit head and tail, within half of the room that is left.
std::string kept_messages(const People& people, Tokens budget);

// How many messages such a text quotes.
std::size_t quoted_messages(std::string_view kept);

// Answers at or above the importance threshold, word for word while the budget lasts: of two the newer and
// shorter stays. In order.
std::string kept_answers(const std::vector<ItemPtr>& items, const std::vector<bool>& goes, double threshold,
                         Tokens budget);

}  // namespace tern
