// A summary of a stretch too large for one request is made in parts: whole messages, in order, each part by a
// request of its own; the answers are joined heading by heading. Pure: who asks, and on how many threads, is
// the agent's matter.
#pragma once

#include <string>
#include <vector>

#include "compression/values/budget.h"
#include "compression/values/conversation.h"

namespace tern {

// As few parts as keep each within about `room` tokens, as even as they come; no call is parted from its
// result. A part is over `room` only when a single message is. Never empty for a source that is not.
std::vector<Conversation> summary_parts(const Conversation& source, Tokens room);

// What the request for one part says besides the instructions of the whole; `part` counts from 1.
std::string part_note(std::size_t part, std::size_t parts, Tokens target);

// One answer of many, in the tags of the style. Headings are joined in order; where the work stands (current
// work, next step, the plan) is the last part's to say. Answers without the headings follow each other as
// they are.
std::string joined_answers(const std::vector<std::string>& answers, SummaryStyle style);

// What stands between the summary tags of an answer; all that is not private when there are none.
std::string bare_summary(const std::string& answer);

}  // namespace tern
