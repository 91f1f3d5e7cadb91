// Compactions in words for people: what a preview, a summary file and the offer after a refused undo say.
#pragma once

#include <string>
#include <vector>

#include "compression/reading/loss_audit.h"
#include "compression/values/context_edit.h"

namespace tern {

std::string describe_range(const std::vector<ItemPtr>& items);  // 12 messages, from "…" to "…"
std::string describe_edits(const Edits& edits);                 // a line for each, as far as it is readable
constexpr const char* kAskedFor = "asked for";  // why a compaction was made that a person or the model wanted
std::string full_audit(const LossReport& loss);    // every specific with its fate
std::string index_page(const std::string& index);  // Markdown in which each kind is a paragraph of its own
// What its sections say, from each of them, each at most `limit` bytes.
std::vector<std::string> key_points(const std::string& summary, std::size_t limit);

// What the person can still get at of a batch that may not be undone as a whole: "r12  Read src/a.cpp  2.1k",
// largest first, each small enough for `room`; `ids` gets the ids of as many as fit together.
std::string offer_parts(const Conversation& undone, const Conversation& now, Tokens room,
                        std::vector<std::string>& ids);

// A sentence for the person whose message was cut because it does not fit, with the way to the whole of it;
// empty when none was.
std::string cut_messages(const Conversation& before, const Conversation& after);

ItemPtr last_said(const Conversation& conversation);  // what /pin last means; null when nothing was said yet

}  // namespace tern
